import { expect, test } from 'bun:test';
import { getEventListeners } from 'node:events';
import { sleep } from '../../../src/platform/core/sleep.ts';
import { FakeClock } from '../../peers/fake-clock.ts';

test('it ends with its time, and leaves no listener on a signal that lives on', async () => {
  const clock = new FakeClock();
  const { signal } = new AbortController();
  let isOver = false;
  const sleeping = sleep(clock, 1_000, signal).then(() => {
    isOver = true;
  });
  await clock.advance(999);
  expect([isOver, getEventListeners(signal, 'abort').length]).toEqual([false, 1]);
  await clock.advance(1);
  await sleeping;
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('an abort ends it at once, and leaves no timer', async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  const sleeping = sleep(clock, 1_000, stop.signal);
  stop.abort();
  await sleeping;
  expect(clock.timersSet).toBe(0);
  await sleep(clock, 1_000, stop.signal);
});
