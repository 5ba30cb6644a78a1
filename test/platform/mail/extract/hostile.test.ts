/** Whatever a stranger sends, extraction takes bounded time and returns the same result each time. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { extract } from '../../../../src/platform/mail/extract/extract.ts';
import { hostileHtmls, hostileTexts, MIB } from '../../../corpus/extraction/hostile.ts';
import { cpuMs } from '../../../peers/cpu-time.ts';

/**
 * Processor time, with the compilers' of a first run: up to 400 ms on a slow machine, under 180 when compiled
 * (`scripts/bench extraction --hostile`). Anything not linear takes seconds.
 */
const WITHIN_MS = 1500;

describe('a mebibyte is read in bounded time', () => {
  const timed = (parts: { text?: string; html?: string }) => {
    const subject = (parts.text ?? parts.html ?? '').slice(0, 2000);
    const began = cpuMs();
    const found = extract({ subject, from: subject, text: '', html: '', ...parts });
    expect(cpuMs() - began).toBeLessThan(WITHIN_MS);
    expect(found.links.length).toBeLessThanOrEqual(100);
    expect(found.otp_candidates.length).toBeLessThanOrEqual(10);
  };
  for (const [what, text] of Object.entries(hostileTexts(MIB))) test(what, () => timed({ text }));
  for (const [what, html] of Object.entries(hostileHtmls(MIB)))
    test(`html of ${what}`, () => timed({ html }));
});

describe('any mail', () => {
  const words = fc.constantFrom(
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
  );
  const soup = fc.array(fc.oneof(words, fc.string({ unit: 'binary', maxLength: 8 })), { maxLength: 60 });
  const mails = fc.record({
    subject: soup.map((parts) => parts.join('')),
    from: fc.string({ maxLength: 60 }),
    text: soup.map((parts) => parts.join('')),
    html: soup.map((parts) => parts.join('')),
  });

  test('gives a result within the documented bounds, and the same one each time', () => {
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
