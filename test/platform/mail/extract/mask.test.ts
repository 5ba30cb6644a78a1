/** What a line needs before a pattern is tried (need.ts) only saves time: it changes no result. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { findMaskedSpans, patterns } from '../../../../src/platform/mail/extract/mask.ts';

/** The shortest text that each pattern matches, in the order of the patterns. */
const least = [
  ...['https://1', '1@1', '1.1/', '1 a.io'],
  ...['€ 1', '1 €', '1 \u212ar', '1 \u017fek', '1 ГРН', '1 Đ', 'rs. 1', 'r$1'],
  ...['1., %', '1’234', '1,2'],
  ...['1：23', '1 am', '2026.1.1', '1/1-2026', '1.1/26', '1234 년', '1日', '1999 —2001'],
  ...['1.1.1.1', 'a:b:1', 'v. 1', '1.2.3', '11.22.33', '#a00000'],
  ...['+ 1234567', '123  123 1234', '(1)12 12', '01 12 123', '012 12345', '0 123 123', '1800-123-1234'],
  ...['xx 12', '… 12', '1**', '1234 1234 1234', 'AB12 1234 1234 1234'],
  '1ZABCDEFGH12345678',
  ...['AB, 12345', 'A1B2C3', 'A1 1BC', '〒 1231234'],
];
const pieces = fc.constantFrom(
  ...least,
  ...['1', '12', '123', '4821', '20', '1999', '2026', '10', '31', '0', '01', '8', '555', '90210'],
  ...['.', ',', '-', '/', ':', '：', ' ', '  ', '\t', '\u00a0', "'", '’', '(', ')', '+', '#', '@', '%', '‰'],
  ...['*', '**', '••', '…', '...', '·', 'x', 'XX', '–', '—', '&', '=', '?', '_', '[', ']'],
  ...['$', '₹', '៛', 'usd', 'EUR', 'kr', 'zł', 'ZŁ', 'Ft', 'руб', 'РУБ', 'р', '元', '円', '원', 'บาท'],
  ...['ریال', 'ש״ח', 'ر.س', 'د.إ', '年', '월', '〒', 'h', 'H', 'am', 'P.M', 'a.m', 'v', 'V.', 'www.'],
  ...['mailto:', 'a.example', 'b.com', 'io', 'beef', 'AB', 'K1A', 'é', '码', '😀'],
);
const lines = fc
  .array(fc.oneof({ weight: 9, arbitrary: pieces }, fc.string({ unit: 'binary', maxLength: 3 })), {
    maxLength: 24,
  })
  .map((parts) => parts.join(''));

const spanned = (text: string) =>
  patterns.flatMap(([pattern, hard]) =>
    Array.from(text.matchAll(pattern), ({ index, 0: { length } }) => ({
      start: index,
      end: index + length,
      hard,
    })),
  );

test('every pattern matches its shortest example', () => {
  for (const text of least) expect(findMaskedSpans(text)).toEqual(spanned(text));
  const never = patterns.filter(([pattern]) => !least.some((text) => text.search(pattern) >= 0));
  expect(never).toEqual([]);
});

test('every pattern matches the same with and without its need', () => {
  fc.assert(
    fc.property(lines, (text) => expect(findMaskedSpans(text)).toEqual(/\d/.test(text) ? spanned(text) : [])),
    { numRuns: 3000 },
  );
});
