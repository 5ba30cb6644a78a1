import { expect, test } from 'bun:test';
import { Idle } from '../../../src/platform/core/idle.ts';

test('beyond the bound, the one that has been idle longest is forgotten', () => {
  const forgotten: string[] = [];
  const idle = new Idle<string>(2, (name) => forgotten.push(name));
  for (const name of ['a', 'b', 'a', 'c']) idle.add(name);
  expect(forgotten).toEqual(['b']);
});

test('one that is no longer idle is not forgotten', () => {
  const forgotten: string[] = [];
  const idle = new Idle<string>(2, (name) => forgotten.push(name));
  idle.add('a');
  idle.add('b');
  idle.delete('a');
  for (const name of ['c', 'd']) idle.add(name);
  expect(forgotten).toEqual(['b']);
});
