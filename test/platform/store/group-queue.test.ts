import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { GroupQueue } from '../../../src/platform/store/group-queue.ts';

const call = (id: number, name: string) => ({ id, name, nowUs: 0, input: null });
const newQueue = () => new GroupQueue((name) => name === 'job');
const ids = (calls: readonly { id: number }[]) => calls.map(({ id }) => id);

describe('the writer’s queue', () => {
  test('groups writes that callers wait for, and gives jobs a transaction of their own', () => {
    const queue = newQueue();
    queue.add([call(1, 'job'), call(2, 'mail'), call(3, 'job'), call(4, 'mail')]);
    expect([queue.take(), queue.take(), queue.take(), queue.take()].map(ids)).toEqual([[2, 4], [1], [3], []]);
  });

  test('alternates, so that neither kind delays the other by more than one group', () => {
    const queue = newQueue();
    const taken: number[][] = [];
    for (let round = 0; round < 4; round++) {
      queue.add([call(round * 10, 'mail'), call(round * 10 + 1, 'job')]);
      taken.push(ids(queue.take()));
    }
    expect(taken).toEqual([[0], [1], [10, 20], [11]]);
  });

  test('serves each write once, in order within its kind', () => {
    const step = fc.oneof(
      fc.array(fc.constantFrom('mail', 'job'), { maxLength: 300 }),
      fc.constant('take' as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const queue = newQueue();
        const added = new Map<string, number[]>([
          ['mail', []],
          ['job', []],
        ]);
        const taken = new Map<string, number[]>([
          ['mail', []],
          ['job', []],
        ]);
        let id = 0;
        const take = () => {
          const group = queue.take();
          expect(group.length).toBeLessThanOrEqual(128);
          expect(new Set(group.map(({ name }) => name)).size).toBeLessThanOrEqual(1);
          if (group[0]?.name === 'job') expect(group).toHaveLength(1);
          for (const one of group) taken.get(one.name)!.push(one.id);
        };
        for (const one of steps) {
          if (one === 'take') {
            take();
            continue;
          }
          const calls = one.map((name) => call(++id, name));
          for (const { name, id } of calls) added.get(name)!.push(id);
          queue.add(calls);
        }
        while (!queue.isEmpty) take();
        expect(taken).toEqual(added);
      }),
    );
  });
});
