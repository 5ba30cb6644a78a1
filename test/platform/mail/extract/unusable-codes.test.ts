/** Codes that nobody should type, although the words around them are those of a one-time code. */
import { describe, expect, test } from 'bun:test';
import { extract } from '../../../../src/platform/mail/extract/extract.ts';

const findCode = (text: string, subject = '') =>
  extract({ subject, from: 'Acme <no-reply@acme.example>', text, html: '' }).otp;

describe('a code that the mail says has expired', () => {
  test.each([
    'The code 482913 has expired. Request a new one.',
    'Your verification code 482913 expired 10 minutes ago. Sign in again to get a new one.',
    'Your previous code (482913) is no longer valid. Please request another one.',
    'Ihr Code 482913 ist abgelaufen. Bitte fordern Sie einen neuen an.',
    'Le code 482913 a expiré. Demandez un nouveau code.',
    'El código 482913 ha caducado.',
    'Il codice 482913 è scaduto.',
    'Код 482913 истёк. Запросите новый код.',
  ])('is not reported: %s', (text) => {
    expect(findCode(text)).toBeNull();
    expect(findCode(text, 'Your code 482913')).toBeNull();
  });

  test.each([
    'Your old code 111222 has expired. Your new code is 482913.',
    'Code 482913 expires in 10 minutes.',
    'Your code: 482913 expired in 10 minutes',
    'Your code is 482913. If it has expired, request a new one.',
    '482913 is your code. It expired? Request a new one.',
  ])('does not hide a code that is still valid: %s', (text) => {
    expect(findCode(text)).toBe('482913');
  });
});

describe('a code in the subject of a reply', () => {
  const outlook =
    'From: Acme <no-reply@acme.example>\nSent: Monday, 23 November 2026 10:00\nTo: Ann <ann@far.example>\nSubject: Your code: 482913';
  test.each([
    ['Re: Your code: 482913', `It does not work.\n\n${outlook}\n\nYour code is 482913.`],
    [
      'AW: Ihr Code: 482913',
      'Geht nicht.\n\nAm 23.11.2026 um 10:00 schrieb Acme <no-reply@acme.example>:\n> Ihr Code ist 482913.',
    ],
    [
      'Re: 認証コード:482913',
      '届きました。\n2026年11月23日(月) 10:00 Acme <no-reply@acme.example>:\n> 482913',
    ],
  ])('is that of the answered mail: %s', (subject, text) => {
    expect(findCode(text, subject)).toBeNull();
    const html = text
      .split('\n')
      .map((line) =>
        line.startsWith('>')
          ? `<blockquote type="cite">${line.slice(1)}</blockquote>`
          : `<p>${line.replaceAll('<', '&lt;')}</p>`,
      )
      .join('');
    expect(extract({ subject, from: 'Bob <bob@far.example>', text: '', html }).otp).toBeNull();
  });

  test.each([
    ['Re: Your code', `Your new code is 771204.\n\n${outlook}\n\nYour code is 482913.`, '771204'],
    ['Re: Your request: your code is 482913', 'Enter it within ten minutes.', '482913'],
    ['Fwd: Your code: 482913', `Here it is.\n\n${outlook}\n\nYour code is 482913.`, '482913'],
  ])('is reported if the reply says it itself, or if the mail is a forward: %s', (subject, text, code) => {
    expect(findCode(text, subject)).toBe(code);
  });
});

describe('the authorization code on a card receipt', () => {
  test.each([
    'Thank you for your purchase.\nCard: VISA ****1234\nAuthorization code: 482913\nTotal: $45.00',
    'RECEIPT\nVisa ending in 4242\nAuthorization code 093412\nAmount paid $12.00',
    'Your payment was successful\nAuthorisation Code: 048291\nCard number: ************1234\nAmount: GBP 20.00',
    'Total 45.00 USD\nMerchant ID: 12345678\nAuth code\n482913',
  ])('is not reported: %p', (text) => {
    expect(findCode(text)).toBeNull();
  });

  test.each([
    'Authorization code: 482913\nEnter this code to approve the sign-in.',
    'Use authorization code 482913 to confirm your payment of $45.00 at Shop with card ending in 4242.',
    'Your purchase of $45.00 with Visa ****4242\nAuthorization code: 482913\nNever share this code.',
  ])('is reported if the mail asks the reader to type it: %p', (text) => {
    expect(findCode(text)).toBe('482913');
  });
});

describe('a number in a mail that never speaks of a code', () => {
  const reset =
    'Forgot your password?\n\nReset it here:\nhttps://acme.example/reset/9fK2mQ7xWb3LtZ8r\n\nThe link expires in an hour.\n';
  const changed = 'Your password has been changed. If this was not you, contact us.\n\nThe Acme team';
  test.each([
    `${reset}\nThe Acme team\n482913`,
    `${reset}\n482913\n\nThe Acme team`,
    `${changed}\n\n482913`,
    `${changed}\n\n482913\n\n© Acme, all rights reserved`,
  ])('is not reported: %p', (text) => {
    expect(findCode(text, 'Your password')).toBeNull();
    const html = `<p>${text.replaceAll('\n', '<br>')}</p>`;
    expect(
      extract({ subject: 'Your password', from: 'Acme <a@acme.example>', text: '', html }).otp,
    ).toBeNull();
  });

  test.each([
    `${reset}\nOr enter 482913 there.`,
    `${reset}\nCode\n482913`,
    `Your password has been reset. It expires in an hour.\n482913\n\nIf this was not you, contact us.`,
    'Thanks for signing up. Confirm your email address:\n\n482913\n',
    `Hello,\n\n482913\n\nIt expires in 10 minutes.\n\n${reset}`,
    `We got a request to reset your password.\n\n482913\n\nIgnore this if it was not you.\n\n${reset}`,
    `${reset}\n482913\n\nIt expires in 10 minutes.`,
    `482913 is what you need to reset your password.\n\n${reset}`,
    `Your temporary password is 482913\n\n${reset}`,
    `New password: 482913\n\n${reset}`,
  ])(
    'is reported if the mail asks for it, says what it is, or has it in its middle and no link above: %p',
    (text) => {
      expect(findCode(text, 'Your password')).toBe('482913');
    },
  );

  test('is reported if it is large', () => {
    const html = `<p>${reset.replaceAll('\n', '<br>')}</p><p style="font-size:32px">482913</p>`;
    expect(extract({ subject: 'Your password', from: 'Acme <a@acme.example>', text: '', html }).otp).toBe(
      '482913',
    );
  });
});
