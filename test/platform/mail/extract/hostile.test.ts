/** Whatever a stranger sends gets the same result each time, in bounded time. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { extract } from '../../../../src/platform/mail/extract/extract.ts';
import { cpuMs } from '../../../peers/cpu-time.ts';

const MIB = 1024 * 1024;
const fill = (piece: string, chars = MIB) => piece.repeat(Math.ceil(chars / piece.length)).slice(0, chars);

/** Generous: each takes under 60 ms alone, and anything not linear takes seconds. */
const WITHIN_MS = 1500;

const texts: Record<string, string> = {
  digits: fill('1234567890'),
  'codes without end': fill('123456 '),
  'lines of codes': fill('your verification code is 482913\n'),
  'one word': fill('a'),
  'capital words': fill('ABCDEF '),
  'at signs': fill('a@'),
  'dots and digits': fill('1.'),
  'dashes and digits': fill('12-'),
  'domain labels': fill(`${'x'.repeat(63)}.`),
  addresses: fill('https://a.example/x?token=abc123def456 '),
  'one address': `https://a.example/${fill('a')}`,
  'closing brackets': `https://a.example/${fill(')')}`,
  'open angle brackets': fill('<https://a.example/b'),
  quotes: fill('>'),
  'heads of quotes': fill('On x '),
  accents: fill('\u0301'),
  'full-width digits': fill('１２３４５６，'),
  stars: fill('*'),
  spaces: `a${fill(' ')}b`,
  'wrappers in wrappers': fill('https://t.x.example/?url=https%3A%2F%2Ft.x.example%2F%3Furl%3D'),
  'different codes': Array.from({ length: 150_000 }, (_, index) => 100_000 + index).join(' '),
};

const htmls: Record<string, string> = {
  'nested inline tags': fill('<b>'),
  'nested blocks with codes': fill('<div>123456'),
  'nested tables': fill('<table><tr><td>'),
  'open anchors': fill('<a '),
  'anchors without end': fill('<a href="'),
  links: fill('<a href="https://x.example/verify?token=abc123def456">verify'),
  'attributes of one tag': `<p ${Array.from({ length: 100_000 }, (_, index) => `a${index}`).join(' ')}>x`,
  'open rules of style': `<style>${fill('.a{')}`,
  'media rules': `<style>${fill('@media x{')}`,
  'styles of digits': fill('<p style="font-size:1px">1</p>'),
  'open comments': fill('<!--'),
  'less-than signs': fill('<'),
  entities: fill('&#49;'),
  'cells of a digit': fill('<td>1</td>'),
  'one line of digits': `<p>${fill('1 ')}`,
  'one line of codes': `<p>${fill('your verification code is 482913. ')}`,
  'one line of codes that are none': `<p>${fill('promo code 123456 is your code. ')}`,
  'closing tags': fill('<p></b>'),
  'open arrays of JSON': `<script type="application/ld+json">${fill('[')}`,
};

describe('a mebibyte is read in bounded time', () => {
  const timed = (parts: { text?: string; html?: string }) => {
    const subject = (parts.text ?? parts.html ?? '').slice(0, 2000);
    const began = cpuMs();
    const found = extract({ subject, from: subject, text: '', html: '', ...parts });
    expect(cpuMs() - began).toBeLessThan(WITHIN_MS);
    expect(found.links.length).toBeLessThanOrEqual(100);
    expect(found.otp_candidates.length).toBeLessThanOrEqual(10);
  };
  for (const [what, text] of Object.entries(texts)) test(what, () => timed({ text }));
  for (const [what, html] of Object.entries(htmls)) test(`html of ${what}`, () => timed({ html }));
});

describe('any mail', () => {
  const words = fc.constantFrom(
    ...[
      'code',
      'is',
      '482913',
      '12-34',
      ' ',
      '\n',
      'verify',
      'https://a.example/v?t=',
      '<b>',
      '</td>',
      '<a href="',
    ],
    ...[
      '">',
      '<style>.a{display:none}',
      '&#49;',
      '（',
      '验证码',
      '\u200b',
      '\ud800',
      '@a.example #1234',
      '“',
      '> ',
    ],
  );
  const soup = fc.array(fc.oneof(words, fc.string({ unit: 'binary', maxLength: 8 })), { maxLength: 60 });
  const mails = fc.record({
    subject: soup.map((parts) => parts.join('')),
    from: fc.string({ maxLength: 60 }),
    text: soup.map((parts) => parts.join('')),
    html: soup.map((parts) => parts.join('')),
  });

  test('gets an answer, the same each time, within the documented bounds', () => {
    fc.assert(
      fc.property(mails, (mail) => {
        const found = extract(mail);
        expect(extract(mail)).toEqual(found);
        expect(found.otp === null).toBe(found.otp_confidence === 0);
        if (found.otp !== null) expect(found.otp_candidates[0]?.code).toBe(found.otp);
        for (const { code, confidence, context } of found.otp_candidates) {
          expect(code).toMatch(/^[0-9A-Za-z]+(-[0-9A-Za-z]+)*$/);
          expect(confidence >= 0 && confidence <= 1).toBe(true);
          expect(context.length).toBeLessThanOrEqual(80);
          expect(context.isWellFormed()).toBe(true);
        }
        for (const link of found.links) expect(link).toMatch(/^(https?:\/\/|mailto:)/i);
        if (found.magic_link !== null) expect(found.magic_link).toMatch(/^https?:\/\//i);
      }),
      { numRuns: 300 },
    );
  });
});

test('a name that every object inherits is not a font size', () => {
  for (const size of ['constructor', '__proto__', 'hasOwnProperty', 'valueOf']) {
    const html = `<p style="font-size: ${size}">Your verification code is <b>482913</b></p>`;
    expect(extract({ subject: 'Code', from: 'a@example.org', text: '', html }).otp).toBe('482913');
  }
});
