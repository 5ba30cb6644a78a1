/** What the main thread remembers of the store. */
import { expect, test } from 'bun:test';
import { Remembered } from '../../../src/platform/store/remembered.ts';

test('a value that may be cached is read once, until a write clears it', () => {
  const remembered = new Remembered();
  let reads = 0;
  const find = () =>
    remembered.find(
      'ann',
      () => ++reads,
      () => true,
    );
  expect([find(), find()]).toEqual([1, 1]);
  remembered.clear();
  expect(find()).toBe(2);
});

test('a value that may not be cached is read each time', () => {
  const remembered = new Remembered();
  let reads = 0;
  const find = () =>
    remembered.find(
      'ann',
      () => ++reads,
      (value) => value > 2,
    );
  expect([find(), find(), find(), find()]).toEqual([1, 2, 3, 3]);
});

test('a flood of names does not fill the memory', () => {
  const remembered = new Remembered();
  let reads = 0;
  const find = (name: string) =>
    remembered.find(
      name,
      () => ++reads,
      () => true,
    );
  for (let index = 0; index < 10_000; index++) find(`ann+${index}`);
  expect(reads).toBe(10_000);
  find('ann+0');
  expect(reads).toBe(10_001);
});
