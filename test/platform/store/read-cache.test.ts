/** The cache of reads that every mail repeats. */
import { expect, test } from 'bun:test';
import { ReadCache } from '../../../src/platform/store/read-cache.ts';

/** A cached read that returns how often it was made. */
function countReads(mayBeCached: (value: number) => boolean) {
  const cache = new ReadCache();
  let reads = 0;
  return { cache, find: () => cache.find('ann', () => ++reads, mayBeCached) };
}

test('a value that may be cached is read once, until a write clears it', () => {
  const { cache, find } = countReads(() => true);
  expect([find(), find()]).toEqual([1, 1]);
  cache.clear();
  expect(find()).toBe(2);
});

test('a value that may not be cached is read each time', () => {
  const { find } = countReads((value) => value > 2);
  expect([find(), find(), find(), find()]).toEqual([1, 2, 3, 3]);
});

test('a flood of names does not fill the memory', () => {
  const cache = new ReadCache();
  let reads = 0;
  const find = (name: string) =>
    cache.find(
      name,
      () => ++reads,
      () => true,
    );
  for (let index = 0; index < 10_000; index++) find(`ann+${index}`);
  expect(reads).toBe(10_000);
  find('ann+0');
  expect(reads).toBe(10_001);
});
