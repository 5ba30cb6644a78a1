import { expect, test } from 'bun:test';
import { SlotGate } from '../../../src/platform/core/gate.ts';
import { FakeClock } from '../../peers/fake-clock.ts';

const open = (clock = new FakeClock()) => ({
  clock,
  gate: new SlotGate(clock, { insideMax: 2, waitingMax: 2, waitMs: 1_000 }),
});

test('a gate admits up to its bound, queues others in order, and turns away the rest', async () => {
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
  expect(clock.timersSet).toBe(0);
});

test('a waiter that times out or gives up leaves nothing behind', async () => {
  const { gate, clock } = open();
  const [leave] = [await gate.enter(), await gate.enter()];
  const hungUp = new AbortController();
  const impatient = gate.enter(hungUp.signal);
  const patient = gate.enter();
  hungUp.abort();
  expect(await impatient).toBeNull();
  await clock.advance(1_000);
  expect(await patient).toBeNull();
  expect(await gate.enter(hungUp.signal)).toBeNull();
  leave?.();
  expect(await gate.enter()).toBeFunction();
  expect(clock.timersSet).toBe(0);
});

test('one owner may hold at most as many places, inside and in the queue, as remain free', async () => {
  const gate = new SlotGate(new FakeClock(), { insideMax: 6, waitingMax: 4, waitMs: 1_000 });
  const inside: string[] = [];
  const leaves: Record<string, (() => void)[]> = {};
  const enter = (of: string) => {
    const way = gate.enter(undefined, of);
    const settled = Promise.resolve(way).then((leave) => {
      if (!leave) return 'turned away';
      inside.push(of);
      leaves[of] = [...(leaves[of] ?? []), leave];
      return 'inside';
    });
    return way === null ? 'turned away' : settled;
  };
  const crowd = Array.from({ length: 7 }, () => enter('ann'));
  // Three are inside, two wait, and two waiting places are free.
  expect(crowd.slice(5)).toEqual(['turned away', 'turned away']);
  await Promise.all(crowd.slice(0, 3));
  expect(await enter('bob')).toBe('inside');
  expect(await enter('cid')).toBe('inside');
  expect(await enter('dan')).toBe('inside');
  expect(inside.join()).toBe('ann,ann,ann,bob,cid,dan');
  const bob = enter('bob');
  leaves.ann!.pop()!();
  leaves.dan!.pop()!();
  // Two are free: he has one, and she has two.
  expect(await bob).toBe('inside');
  leaves.cid!.pop()!();
  expect(inside.join()).toBe('ann,ann,ann,bob,cid,dan,bob');
  leaves.ann!.pop()!();
  expect(await crowd[3]!).toBe('inside');
  leaves.bob!.pop()!();
  expect(await crowd[4]!).toBe('inside');
});
