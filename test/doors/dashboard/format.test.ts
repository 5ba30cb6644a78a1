/** A sender as the pages show it; its text comes from strangers. */
import { expect, test } from 'bun:test';
import { readAddress, readName } from '../../../src/web/format.ts';

test.each([
  ['Ann Sender <ann@example.org>', 'Ann Sender', 'ann@example.org'],
  ['"Ann, Sender" <ann@example.org> ', 'Ann, Sender', 'ann@example.org'],
  ['ann@example.org', 'ann@example.org', 'ann@example.org'],
  ['<ann@example.org>', 'ann@example.org', 'ann@example.org'],
  ['Ann', 'Ann', 'Ann'],
  ['', 'Unknown sender', ''],
  ['  ', 'Unknown sender', ''],
])('%p is split into a name and an address', (from, name, address) => {
  expect([readName(from), readAddress(from)]).toEqual([name, address]);
});

test('an address within the name is not mistaken for the address', () => {
  const from = 'Bank <service@bank.example> <mallory@evil.example>';
  expect([readName(from), readAddress(from)]).toEqual([
    'Bank <service@bank.example>',
    'mallory@evil.example',
  ]);
});

test('a long run of white space is read quickly', () => {
  // Ten times as long as in any summary. A tenth of it once took three seconds.
  expect(readName(`${' '.repeat(20_000)}x`)).toBe('x');
  expect(readName(`a${' '.repeat(20_000)}<b`)).toEndWith('<b');
});
