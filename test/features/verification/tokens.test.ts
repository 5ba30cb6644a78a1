import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { dedupeTokens, splitTokens } from '../../../src/features/verification/tokens.ts';
import { cpuMs } from '../../peers/cpu-time.ts';

test('a text is split at line ends, commas, semicolons and white space', () => {
  expect(splitTokens('a@b.c,d@e.f;g@h.i j@k.l\tm@n.o\r\np@q.r\u00a0s@t.u\u2028v@w.x,,;;\n\n')).toEqual([
    ...['a@b.c', 'd@e.f', 'g@h.i', 'j@k.l', 'm@n.o', 'p@q.r', 's@t.u', 'v@w.x'],
  ]);
  expect(splitTokens('')).toEqual([]);
  expect(splitTokens('\ufeff')).toEqual([]);
});

test('quotes around a token are removed, paired or not, and those of a local part stay', () => {
  const bare: Record<string, string> = {
    '"a@b.c"': 'a@b.c',
    "'a@b.c'": 'a@b.c',
    '`a@b.c`': 'a@b.c',
    '“a@b.c”': 'a@b.c',
    '«a@b.c»': 'a@b.c',
    '"a@b.c': 'a@b.c',
    'a@b.c"': 'a@b.c',
    '""a@b.c""': 'a@b.c',
    '" a@b.c "': 'a@b.c',
    '\'"a@b.c"\'': 'a@b.c',
    '"ann"@b.c': '"ann"@b.c',
    '"ann smith"@b.c': '"ann smith"@b.c',
    "o'neil@b.c": "o'neil@b.c",
    "'a@b.c": "'a@b.c",
    '"': '',
    '""': '',
    "''": '',
    '"""': '',
    'a"b': 'a"b',
  };
  for (const [token, wanted] of Object.entries(bare)) {
    expect([token, dedupeTokens([token])]).toEqual([token, wanted === '' ? [] : [wanted]]);
  }
});

test('a token of any length is read quickly', () => {
  const began = cpuMs();
  for (const part of ['"', "'", 'x', '“', '"x', 'x"', '@', '\ufeff']) {
    expect(splitTokens(part.repeat(250_000 / part.length)).length).toBeLessThanOrEqual(1);
  }
  // A quadratic search would take minutes.
  expect(cpuMs() - began).toBeLessThan(3_000);
});

test('of equal tokens the first is kept, and tokens of different case are different', () => {
  expect(dedupeTokens(['b@x', 'a@x', ' b@x ', '"a@x"', 'B@x'])).toEqual(['b@x', 'a@x', 'B@x']);
});

test('tokens of any text are unique, trimmed, not empty, bounded, made of whole characters, and stable', () => {
  const parts = fc.constantFrom(
    'a',
    '@',
    '"',
    "'",
    '“',
    '”',
    ' ',
    ',',
    ';',
    '\n',
    '\ufeff',
    '😀',
    'x'.repeat(200),
    '\u0000',
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 30 }), (pieces) => {
      const tokens = splitTokens(pieces.join(''));
      expect(new Set(tokens).size).toBe(tokens.length);
      for (const token of tokens) {
        expect(token.trim()).toBe(token);
        expect(token.length > 0 && token.length <= 320 && token.isWellFormed()).toBe(true);
        expect(token).not.toMatch(/[\s,;]/);
      }
    }),
  );
});
