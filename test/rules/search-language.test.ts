/** The language of `search` alone: what is parsed, and what is refused. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  readSearchQuery,
  readTyped,
  SEARCH_CHARS_MAX,
  SEARCH_TERMS_MAX,
  SearchRefused,
  searchTokens,
  splitSearchQuery,
  writeSearchTerm,
} from '../../src/rules/search-language.ts';
import { foldPlainly } from './plain-fold.ts';

const text = (needle: string, place = 'any', not = false) => ({ not, kind: 'text', place, needle });

describe('a query', () => {
  test.each<[string, unknown[]]>([
    ['', []],
    [' \t ', []],
    ['""', []],
    ['Order  Größe', [text('order'), text('größe')]],
    ['"your  Code\nis"', [text('your code is')]],
    ['"left open', [text('left open')]],
    ['-spam -"two words"', [text('spam', 'any', true), text('two words', 'any', true)]],
    ['- --x', [text('-'), text('-x', 'any', true)]],
    ['"Re:" "12:30"', [text('re:'), text('12:30')]],
    ['5"screen" it\'s', [text('5"screen"'), text("it's")]],
    ['FROM:Ann -subject:"a b"', [text('ann', 'from'), text('a b', 'subject', true)]],
    ['body:x:y', [text('x:y', 'body')]],
    ['"a \\"b\\" \\\\ \\n"', [text('a "b" \\ \\n')]],
    [
      'is:READ -has:link',
      [
        { not: false, kind: 'read', read: true },
        { not: true, kind: 'has', feature: 'link' },
      ],
    ],
    [
      'after:2026-11-22 before:2026-11-22T10:00',
      [
        { not: false, kind: 'time', side: 'after', at: Date.UTC(2026, 10, 22) * 1000 },
        { not: false, kind: 'time', side: 'before', at: Date.UTC(2026, 10, 22, 10) * 1000 },
      ],
    ],
    [
      'before:2026-11-22t10:00:00.5+02:00',
      [{ not: false, kind: 'time', side: 'before', at: Date.UTC(2026, 10, 22, 8, 0, 0, 500) * 1000 }],
    ],
    [
      'larger:200k smaller:1.5m larger:7 larger:2KB',
      [
        { not: false, kind: 'size', side: 'larger', bytes: 204_800 },
        { not: false, kind: 'size', side: 'smaller', bytes: 1_572_864 },
        { not: false, kind: 'size', side: 'larger', bytes: 7 },
        { not: false, kind: 'size', side: 'larger', bytes: 2_048 },
      ],
    ],
    ['tag:CI-run', [{ not: false, kind: 'tag', tag: 'ci-run' }]],
  ])('is parsed into its terms: %s', (query, terms) =>
    expect<unknown>(readSearchQuery(query)).toEqual(terms),
  );

  test.each([
    ['Re:', '"Re:"'],
    ['12:30', '"12:"'],
    ['-frm:ann', '"frm:"'],
    ['https://a.example', '"https:"'],
    [':x', '":"'],
    ['constructor:x', '"constructor:"'],
    ['from:', '"from:"'],
    ['from:""', '"from:"'],
    ['is:maybe', '"is:"'],
    ['has:code,link', '"has:"'],
    ['before:yesterday', '"before:"'],
    ['after:2026-02-30', '"after:"'],
    ['after:2026-11-22T25:00', '"after:"'],
    ['larger:big', '"larger:"'],
    ['smaller:-1', '"smaller:"'],
  ])('%s is refused, and the error names %s', (query, named) => {
    expect(() => readSearchQuery(`word ${query}`)).toThrow(named);
  });

  test('has a maximum length and a maximum number of terms', () => {
    expect(readSearchQuery('x'.repeat(SEARCH_CHARS_MAX))).toHaveLength(1);
    expect(() => readSearchQuery('x'.repeat(SEARCH_CHARS_MAX + 1))).toThrow(SearchRefused);
    expect(readSearchQuery('x '.repeat(SEARCH_TERMS_MAX))).toHaveLength(SEARCH_TERMS_MAX);
    expect(() => readSearchQuery('x '.repeat(SEARCH_TERMS_MAX + 1))).toThrow(SearchRefused);
  });

  test('is either parsed or refused, whatever it is', () => {
    const piece = fc.constantFrom(
      '"',
      '\\',
      ':',
      '-',
      ' ',
      '\0',
      '\ud800',
      'İ',
      'a',
      ...Object.keys(searchTokens),
    );
    const wild = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.array(piece).map((some) => some.join('')),
    );
    fc.assert(
      fc.property(wild, (query) => {
        try {
          readSearchQuery(query);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(SearchRefused);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('keeps any quoted phrase, folded like any other text', () => {
    const phrase = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(phrase, fc.boolean(), fc.constantFrom('', 'subject:', 'body:'), (value, not, token) => {
        const folded = foldPlainly(value).replace(/\s+/g, ' ');
        fc.pre(folded.trim() !== '');
        const quoted = `"${value.replace(/["\\]/g, '\\$&')}"`;
        expect<unknown>(readSearchQuery(`${not ? '-' : ''}${token}${quoted}`)).toEqual([
          text(folded, token.slice(0, -1) || 'any', not),
        ]);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a search that a person types', () => {
  test.each<[typed: string, asked: string, misread: [name: string, isKnown: boolean][]]>([
    ['', '', []],
    ['Your  order', 'Your order', []],
    ['from:ann is:', 'from:ann', []],
    ['from: order -is:', 'order', []],
    ['foo:bar order', '"foo:bar" order', [['foo', false]]],
    [
      'Re: -nope:x',
      '"Re:" -"nope:x"',
      [
        ['Re', false],
        ['nope', false],
      ],
    ],
    ['foo:"a \\"b\\""', '"foo:a \\"b\\""', [['foo', false]]],
    ['is:maybe', '"is:maybe"', [['is', true]]],
    ['after:yesterday x', '"after:yesterday" x', [['after', true]]],
    ['"Re: x" "open', '"Re: x" "open', []],
  ])('%s is sent as %s', (typed, asked, misread) => {
    const read = readTyped(typed);
    expect(read.asked).toBe(asked);
    expect(read.misread.map(({ name, token }) => [name, token !== null])).toEqual(misread);
  });

  const anything = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc
      .array(
        fc.constantFrom(
          '"',
          '\\',
          ':',
          '-',
          ' ',
          'a',
          'x:',
          ...Object.keys(searchTokens).map((name) => `${name}:`),
        ),
        {
          maxLength: 12,
        },
      )
      .map((some) => some.join('')),
  );

  test('is sent as a query that the server accepts, and unchanged if the server would have accepted it', () => {
    fc.assert(
      fc.property(anything, (typed) => {
        const { asked, misread } = readTyped(typed);
        const terms = readSearchQuery(asked);
        if (misread.length > 0) return;
        try {
          expect(terms).toEqual(readSearchQuery(typed));
        } catch (thrown) {
          // A token without its value yet.
          expect(String(thrown)).toContain('nothing after');
        }
      }),
      { numRuns: 3_000 },
    );
  });

  test('is split into terms with only white space between them', () => {
    fc.assert(
      fc.property(anything, (typed) => {
        let at = 0;
        for (const { from, to } of splitSearchQuery(typed)) {
          expect(typed.slice(at, from).replaceAll('\0', ' ').trim()).toBe('');
          expect(to).toBeGreaterThan(from);
          at = to;
        }
        expect(typed.slice(at).replaceAll('\0', ' ').trim()).toBe('');
      }),
      { numRuns: 3_000 },
    );
  });

  test('is written so that it is parsed as the same term', () => {
    const word = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
      .filter((value) => value.trim() !== '');
    fc.assert(
      fc.property(word, fc.boolean(), fc.constantFrom(undefined, 'from' as const), (value, not, name) => {
        fc.pre(!value.includes('\0'));
        const written = writeSearchTerm({ not, value, ...(name && { name }) });
        expect(splitSearchQuery(written)).toMatchObject([{ not, name, value: value.toWellFormed() }]);
      }),
      { numRuns: 3_000 },
    );
  });
});
