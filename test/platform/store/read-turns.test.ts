/** The order of reads in the reader thread. */
import { expect, test } from 'bun:test';
import { ReadTurns } from '../../../src/platform/store/read-turns.ts';

function makeTurns(...owners: string[]) {
  const turns = new ReadTurns<{ id: number; owner: string }>();
  for (const [id, owner] of owners.entries()) turns.add({ id, owner });
  return turns;
}

test('owners take turns, each with its oldest read until it is done', () => {
  const turns = makeTurns('busy', 'busy', 'busy', 'calm', 'other');
  const seen = Array.from({ length: 6 }, () => turns.next()?.id);
  expect(seen).toEqual([0, 3, 4, 0, 3, 4]);
  turns.remove(0);
  expect([turns.next()?.id, turns.next()?.id, turns.next()?.id]).toEqual([1, 3, 4]);
});

test('a new owner is served next, even when another has hundreds of reads waiting', () => {
  const turns = makeTurns(...Array.from({ length: 300 }, () => 'busy'));
  turns.next();
  turns.add({ id: 999, owner: 'calm' });
  expect([turns.next()?.id, turns.next()?.id]).toEqual([0, 999]);
});

test('an abandoned read leaves the queue, and the last one empties it', () => {
  const turns = makeTurns('one', 'one');
  expect(turns.remove(1)?.id).toBe(1);
  expect(turns.remove(1)).toBeUndefined();
  expect(turns.isEmpty).toBe(false);
  turns.remove(0);
  expect([turns.isEmpty, turns.next()]).toEqual([true, undefined]);
});
