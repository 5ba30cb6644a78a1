import { expect, test } from 'bun:test';
import { Gate } from '../../src/core/gate.ts';
import { FakeClock } from '../peers/fake-clock.ts';

const open = (clock = new FakeClock()) => ({
  clock,
  gate: new Gate(clock, { inside_max: 2, waiting_max: 2, wait_ms: 1_000 }),
});

test('a gate lets in so many, the others in their order, and turns away those for whom there is no room', async () => {
  const { gate, clock } = open();
  const order: string[] = [];
  const enter = async (name: string) => {
    const leave = await gate.enter();
    order.push(leave ? name : `not ${name}`);
    return leave;
  };
  const [one, two] = await Promise.all([enter('one'), enter('two')]);
  const [three, four] = [enter('three'), enter('four')];
  expect(await enter('five')).toBeNull();
  one?.();
  await three;
  two?.();
  await four;
  expect(order).toEqual(['one', 'two', 'not five', 'three', 'four']);
  expect(clock.timers_set).toBe(0);
});

test('who waits too long, or no longer wants to, goes away and leaves nothing behind', async () => {
  const { gate, clock } = open();
  const [leave] = [await gate.enter(), await gate.enter()];
  const hung_up = new AbortController();
  const impatient = gate.enter(hung_up.signal);
  const patient = gate.enter();
  hung_up.abort();
  expect(await impatient).toBeNull();
  await clock.advance(1_000);
  expect(await patient).toBeNull();
  expect(await gate.enter(hung_up.signal)).toBeNull();
  leave?.();
  expect(await gate.enter()).toBeFunction();
  expect(clock.timers_set).toBe(0);
});
