/** Which elements of the list show which rows. */
import { expect, test } from 'bun:test';
import { Slots } from '../../../src/web/mail/slots.ts';

const rows = Array.from({ length: 100 }, (_, nth) => `row ${nth}`);
const readKey = (row: string) => row;

test('a row that comes into view takes the elements of one that has left, where they are', () => {
  const slots = new Slots<string>(() => 0);
  const before = slots.assign(rows, readKey, 0, 5, true);
  const after = slots.assign(rows, readKey, 2, 7, false);
  expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  expect(after.map(({ row }) => row)).toEqual(['row 5', 'row 6', 'row 2', 'row 3', 'row 4']);
  const settled = slots.assign(rows, readKey, 2, 7, true);
  expect(settled.map(({ index }) => index)).toEqual([2, 3, 4, 5, 6]);
});

test('a row that comes into view takes the elements of one that looked alike', () => {
  const slots = new Slots<string>((row) => Number(row.split(' ')[1]) % 2);
  const before = slots.assign(rows, readKey, 0, 5, true);
  const after = slots.assign(rows, readKey, 3, 8, false);
  expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  // Rows 0 to 2 have left: row 5 takes the elements of row 1, row 6 those of row 0, and row 7 those that remain.
  expect(after.map(({ row }) => row)).toEqual(['row 6', 'row 5', 'row 7', 'row 3', 'row 4']);
});

test('rows keep their elements when others arrive above them', () => {
  const slots = new Slots<string>(() => 0);
  const before = slots.assign(rows, readKey, 0, 4, true);
  const after = slots.assign(['new', ...rows], readKey, 0, 4, true);
  expect(after.map(({ row }) => row)).toEqual(['new', 'row 0', 'row 1', 'row 2']);
  expect(after.slice(1).map(({ id }) => id)).toEqual(before.slice(0, 3).map(({ id }) => id));
});

test('a shorter list has fewer elements, and a longer one more', () => {
  const slots = new Slots<string>(() => 0);
  slots.assign(rows, readKey, 0, 8, true);
  expect(slots.assign(rows, readKey, 50, 53, true).map(({ row }) => row)).toEqual([
    'row 50',
    'row 51',
    'row 52',
  ]);
  const ids = slots.assign(rows, readKey, 40, 60, true).map(({ id }) => id);
  expect(new Set(ids).size).toBe(20);
});
