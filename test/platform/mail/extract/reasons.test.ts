/** The reason why a code or a link was chosen, in the words of one table. */
import { describe, expect, test } from 'bun:test';
import { extract } from '../../../../src/platform/mail/extract/extract.ts';
import { codeReasons, linkReasons } from '../../../../src/rules/extraction-reasons.ts';
import { ownMails } from '../../../corpus/extraction/mails.ts';

const read = (parts: { subject?: string; text?: string; html?: string }) =>
  extract({ subject: '', from: 'App <no-reply@app.example>', text: '', html: '', ...parts });
const words = (reason: string | null) => reason?.split(', ') ?? [];

describe('the reason of a code', () => {
  test('names the word beside it', () => {
    const { otp, otp_reason } = read({ text: 'Your verification code is 482913.' });
    expect(otp).toBe('482913');
    expect(words(otp_reason)).toContain('keyword_near');
  });
  test('names its own line, and the words above', () => {
    const { otp_reason } = read({ html: '<p>Enter this code to sign in:</p><h1>482 913</h1>' });
    expect(words(otp_reason)).toContain('own_line');
  });
  test('names the subject', () => {
    const { otp, otp_reason } = read({ subject: '482913 is your sign-in code', text: 'Hello.' });
    expect(otp).toBe('482913');
    expect(words(otp_reason).length).toBeGreaterThan(0);
  });
  test('says that the code has the form that phones fill in', () => {
    expect(words(read({ text: 'Your code is 482913\n\n@app.example #482913' }).otp_reason)).toContain(
      'domain_bound',
    );
  });
});

describe('the reason of a link', () => {
  test('names its text and its secret', () => {
    const href = 'https://app.example/verify?token=9fK2mQ7xWb3LtZ8r';
    const { magic_link, magic_link_reason } = read({ html: `<a href="${href}">Confirm your address</a>` });
    expect(magic_link).toBe(href);
    expect(words(magic_link_reason)).toContain('link_text');
  });
});

test('there is a reason, in known words, if and only if something was found', () => {
  for (const mail of [...ownMails('judge'), ...ownMails('held')]) {
    const { otp, otp_reason, magic_link, magic_link_reason } = extract(mail);
    expect([mail.name, words(otp_reason).length > 0]).toEqual([mail.name, otp !== null]);
    expect([mail.name, words(magic_link_reason).length > 0]).toEqual([mail.name, magic_link !== null]);
    for (const word of words(otp_reason)) expect(Object.keys(codeReasons)).toContain(word);
    for (const word of words(magic_link_reason)) expect(Object.keys(linkReasons)).toContain(word);
  }
});
