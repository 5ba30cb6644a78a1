/** What a line must have for a pattern spares looking for it, and changes nothing. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { maskedSpans, patterns } from '../../../src/mail/extract/mask.ts';

const pieces = fc.constantFrom(
  ...['1', '12', '123', '4821', '20', '1999', '2026', '10', '31', '0', '01', '8', '555', '90210'],
  ...['.', ',', '-', '/', ':', '：', ' ', '  ', '\t', '\u00a0', "'", '’', '(', ')', '+', '#', '@', '%', '‰'],
  ...['*', '**', '••', '…', '...', '·', 'x', 'XX', '–', '—', '&', '=', '?', '_', '[', ']'],
  ...[
    '$',
    '€',
    '₹',
    '៛',
    'usd',
    'EUR',
    'kr',
    '\u212aR',
    'rs.',
    'R\u017f',
    'R$',
    'zł',
    'ZŁ',
    'Ft',
    'руб',
    'РУБ',
    'р',
  ],
  ...[
    '元',
    '円',
    '원',
    'Đ',
    'บาท',
    'ریال',
    'ש״ח',
    'ر.س',
    'د.إ',
    '年',
    '월',
    '日',
    '〒',
    'h',
    'H',
    'am',
    'P.M',
    'a.m',
  ],
  ...[
    'v',
    'V.',
    'www.',
    'https://',
    'mailto:',
    'a.example',
    'b.com',
    'io',
    'beef',
    'AB',
    'K1A',
    'é',
    '码',
    '😀',
  ],
);
const lines = fc
  .array(fc.oneof({ weight: 9, arbitrary: pieces }, fc.string({ unit: 'binary', maxLength: 3 })), {
    maxLength: 24,
  })
  .map((parts) => parts.join(''));

test('every pattern matches in a line as it would without being told what it needs', () => {
  const spanned = (text: string) =>
    patterns.flatMap(([pattern, hard]) =>
      Array.from(text.matchAll(pattern), ({ index, 0: { length } }) => ({
        start: index,
        end: index + length,
        hard,
      })),
    );
  fc.assert(
    fc.property(lines, (text) => expect(maskedSpans(text)).toEqual(/\d/.test(text) ? spanned(text) : [])),
    { numRuns: 5000 },
  );
});
