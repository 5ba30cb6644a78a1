/** Who is next in the reader thread. */
import { expect, test } from 'bun:test';
import { ReadTurns } from '../../../src/platform/store/read-turns.ts';

function turnsOf(...owners: string[]) {
  const turns = new ReadTurns<{ id: number; owner: string }>();
  for (const [id, owner] of owners.entries()) turns.add({ id, owner });
  return turns;
}

test('owners get turns in a circle, each with its oldest read until that is done', () => {
  const turns = turnsOf('busy', 'busy', 'busy', 'calm', 'other');
  const seen = Array.from({ length: 6 }, () => turns.next()?.id);
  expect(seen).toEqual([0, 3, 4, 0, 3, 4]);
  turns.remove(0);
  expect([turns.next()?.id, turns.next()?.id, turns.next()?.id]).toEqual([1, 3, 4]);
});

test('an owner who comes while another has hundreds waiting is next but one', () => {
  const turns = turnsOf(...Array.from({ length: 300 }, () => 'busy'));
  turns.next();
  turns.add({ id: 999, owner: 'calm' });
  expect([turns.next()?.id, turns.next()?.id]).toEqual([0, 999]);
});

test('a read that nobody waits for any more leaves its place, and the last one empties the circle', () => {
  const turns = turnsOf('one', 'one');
  expect(turns.remove(1)?.id).toBe(1);
  expect(turns.remove(1)).toBeUndefined();
  expect(turns.isEmpty).toBe(false);
  turns.remove(0);
  expect([turns.isEmpty, turns.next()]).toEqual([true, undefined]);
});
