/** Which of the waiting tasks is next. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { FairQueue } from '../../../src/features/ingest/fair-queue.ts';

interface Task {
  turn: string;
  cost: number;
  nth: number;
}

function drain(queue: FairQueue<Task>): Task[] {
  const taken: Task[] = [];
  for (let task = queue.shift(); task; task = queue.shift()) taken.push(task);
  return taken;
}

test('owners of equal tasks take turns, and the tasks of each stay in order', () => {
  const queue = new FairQueue<Task>();
  for (const [nth, turn] of [...'aaaabbc'].entries()) queue.push({ turn, cost: 10, nth });
  expect(
    drain(queue)
      .map(({ turn }) => turn)
      .join(''),
  ).toBe('abcabaa');
});

test('a small task waits only for the running one, whatever another owner has queued', () => {
  const queue = new FairQueue<Task>();
  for (let nth = 0; nth < 6; nth++) queue.push({ turn: 'a', cost: 24_000_000, nth });
  for (let round = 0; round < 3; round++) {
    queue.shift();
    queue.push({ turn: 'b', cost: 300_000, nth: round });
    expect(queue.shift()?.turn).toBe('b');
  }
});

test('a large task is not postponed forever by a stream of small ones', () => {
  const queue = new FairQueue<Task>();
  queue.push({ turn: 'large', cost: 1000, nth: 0 });
  let waited = 0;
  for (; waited < 100; waited++) {
    queue.push({ turn: 'small', cost: 100, nth: waited });
    if (queue.shift()?.turn === 'large') break;
  }
  expect(waited).toBeLessThan(11);
});

test('every queued task comes out once, and those of each owner in order', () => {
  const task = fc.record({ turn: fc.constantFrom('a', 'b', 'c'), cost: fc.nat(50), isShift: fc.boolean() });
  fc.assert(
    fc.property(fc.array(task), (steps) => {
      const queue = new FairQueue<Task>();
      const taken: Task[] = [];
      for (const [nth, { turn, cost, isShift }] of steps.entries()) {
        queue.push({ turn, cost, nth });
        const next = isShift ? queue.shift() : undefined;
        if (next) taken.push(next);
      }
      taken.push(...drain(queue));
      expect(queue.length).toBe(0);
      expect(taken.map(({ nth }) => nth).sort((one, other) => one - other)).toEqual(
        steps.map((_, nth) => nth),
      );
      for (const owner of 'abc') {
        const own = taken.filter(({ turn }) => turn === owner).map(({ nth }) => nth);
        expect(own).toEqual([...own].sort((one, other) => one - other));
      }
    }),
  );
});
