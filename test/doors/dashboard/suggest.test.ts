/** What the search box suggests, without a browser. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readSearchQuery, searchTokens, splitSearchQuery } from '../../../src/rules/search-language.ts';
import { accept, type Known, suggest } from '../../../src/web/mail/suggest.ts';
import { loadWords } from '../../../src/web/words/words.ts';

await loadWords(['search']);

const known: Known = {
  senders: [
    { name: 'Big Shop', address: 'hello@shop.example' },
    { name: 'Shop "A"', address: 'a b@shop.example' },
    { name: 'Ann', address: 'ann@example.org' },
  ],
  recipients: ['you+tag@a.test'],
  inboxes: [{ address: 'sign@a.test', label: 'Sign-up' }],
  tags: ['ci', 'nightly'],
  today: new Date('2026-11-23T10:00:00Z'),
};

const written = (text: string, caret = text.length) =>
  suggest(text, caret, known).list.map((one) => one.written);

describe('at the caret', () => {
  test.each<[text: string, written: string[]]>([
    ['su', ['subject:']],
    ['order -f', ['-from:', '-filename:']],
    ['from:', ['from:hello@shop.example', 'from:"a b@shop.example"', 'from:ann@example.org']],
    ['from:ann', ['from:ann@example.org']],
    ['-from:big', ['-from:hello@shop.example']],
    ['FROM:ANN', ['from:ann@example.org']],
    ['is:', ['is:read', 'is:unread']],
    ['has:at', ['has:attachment']],
    ['inbox:sign', ['inbox:sign@a.test']],
    ['to:tag', ['to:you+tag@a.test']],
    ['tag:n', ['tag:nightly']],
    ['after:2026-11', ['after:2026-11-23', 'after:2026-11-22', 'after:2026-11-16']],
    ['larger:1', ['larger:10k', 'larger:100k', 'larger:1m', 'larger:10m']],
    ['subject:x', []],
    ['foo:x', []],
    ['"fr', []],
    ['zebra', []],
  ])('%s offers %j', (text, list) => expect(written(text)).toEqual(list));

  test('an empty text or a minus offers every token', () => {
    const names = Object.keys(searchTokens).map((name) => `${name}:`);
    expect(written('')).toEqual(names);
    expect(written('order ')).toEqual(names);
    expect(written('-')).toEqual(names.map((name) => `-${name}`));
  });

  test('only the term there is replaced', () => {
    const text = 'one is:un two';
    const found = suggest(text, 9, known);
    expect(accept(text, found, found.list[0]!)).toEqual({ text: 'one is:unread two', caret: 14 });
  });
});

test('an accepted suggestion is a valid term, and leaves the other terms unchanged', () => {
  const piece = fc.constantFrom(
    'from:',
    'is:',
    'tag:',
    'before:',
    'larger:',
    'inbox:',
    'a',
    'order',
    ' ',
    '"',
    '-',
    '\\',
    '\0',
  );
  const typed = fc.array(piece, { maxLength: 10 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(typed, fc.nat(60), fc.nat(20), (text, at, which) => {
      const caret = Math.min(at, text.length);
      const found = suggest(text, caret, known);
      const one = found.list[which % Math.max(1, found.list.length)];
      fc.pre(one !== undefined);
      const done = accept(text, found, one!);
      expect(done.text.slice(0, done.caret).trimEnd()).toEndWith(one!.written);
      const before = splitSearchQuery(text.slice(0, found.from));
      expect(splitSearchQuery(done.text).slice(0, before.length)).toMatchObject(
        before.map(({ name, value, not }) => ({ name, value, not })),
      );
      if (one!.isWhole) expect(readSearchQuery(one!.written)).toHaveLength(1);
    }),
    { numRuns: 2_000 },
  );
});
