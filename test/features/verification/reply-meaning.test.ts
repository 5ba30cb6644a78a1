import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Meaning, readMeaning } from '../../../src/features/verification/reply-meaning.ts';
import { cpuMs } from '../../peers/cpu-time.ts';

/** Replies to RCPT from many kinds of servers. A slash starts a new line. */
const answers: Record<Meaning, string[]> = {
  accepted: [
    '250 2.1.5 Ok',
    '250',
    '251 User not local; will forward',
    '252 Cannot VRFY',
    '250-ok/250 really',
  ],
  mailbox_not_found: [
    '550 5.1.1 <x@y>: Recipient address rejected: User unknown in virtual mailbox table',
    '550-5.1.1 The email account that you tried to reach does not exist. Please try/550 5.1.1 double-checking',
    '550 5.1.1 RESOLVER.ADR.RecipNotFound; not found',
    '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup',
    "554 delivery error: dd This user doesn't have a yahoo.com account (x@yahoo.com) [0] - mta1",
    '550 No Such User Here',
    '550 Requested action not taken: mailbox unavailable',
    '550 <x@y>: Unknown user',
    '550 Mailbox not found',
    '553 5.1.3 Invalid recipient',
    '550 Invalid recipient',
    '550 Unrouteable: no such address here',
    '550 5.2.1 The email account that you tried to reach is inactive.',
    '550 5.4.1 Recipient address rejected: Access denied. AS(201806281)',
    '554 5.0.0 user unknown',
    '550',
    '551 not here',
    '553',
  ],
  mailbox_full: [
    '552 5.2.2 Mailbox full',
    '452 4.2.2 The email account that you tried to reach is over quota',
    '550 5.2.2 x',
    '552 Requested mail action aborted: exceeded storage allocation',
    '554 x: mailbox is full',
    '552',
  ],
  temporary: [
    '450 4.2.0 Greylisted',
    '451 4.7.1 Please try again later',
    '421 4.3.2 Shutting down',
    '452 4.3.1 Insufficient system storage',
    '450 User unknown (maybe)',
    '354 What',
  ],
  refused: [
    '550 5.7.1 Service unavailable, Client host [192.0.2.1] blocked using Spamhaus',
    '550 5.7.26 This mail is unauthenticated',
    '550-5.7.606 Access denied, banned sending IP/550 see http://x',
    '554 5.7.1 <x@y>: Relay access denied',
    '550 blocked using zen.spamhaus.org; user unknown',
    '550 rejected: listed at bl.spamcop.net',
    '554 Email rejected due to security policies',
    '550 Your IP has a poor reputation',
    '550 reverse DNS lookup failed',
    '550 SPF check failed',
    '550 HELO: invalid',
    '550 Too many invalid recipients',
    '550 authentication required',
    '550 relay not permitted',
    '554 Transaction failed',
    '550 5.3.0 x',
    '550 5.4.1 x',
    '500 Syntax error',
    '503 5.5.1 Bad sequence',
    '530 5.7.0 Must issue a STARTTLS command first',
    '571 Message refused',
  ],
};

const readServerReply = (text: string) => {
  const lines = text.split('/');
  return { code: Number(text.slice(0, 3)), lines: lines.map((line) => line.slice(4)) };
};

describe("a server's answer", () => {
  for (const [meaning, texts] of Object.entries(answers)) {
    for (const text of texts) {
      test(`${text} means ${meaning}`, () =>
        expect(readMeaning(readServerReply(text))).toBe(meaning as Meaning));
    }
  }

  test('is never a verdict when it is 4xx, except for a full mailbox', () => {
    fc.assert(
      fc.property(fc.integer({ min: 400, max: 499 }), fc.string(), (code, text) => {
        return ['temporary', 'mailbox_full'].includes(readMeaning({ code, lines: [text] }));
      }),
    );
  });

  test('is never about the mailbox when it is 5.7.x', () => {
    fc.assert(
      fc.property(fc.nat(999), fc.string(), (detail, text) => {
        return readMeaning({ code: 550, lines: [`5.7.${detail} ${text}`] }) === 'refused';
      }),
    );
  });

  test('is read quickly, however it is written', () => {
    const evil = [
      'user '.repeat(800),
      `user${' a'.repeat(2_000)}`,
      'exceed a '.repeat(400),
      "doesn't have a ".repeat(250),
      ...['user !', 'user ', 'exceeds the ', 'a b ', '.'].map((text) => text.padEnd(4_000, text.slice(-1))),
    ];
    const began = cpuMs();
    for (const text of evil)
      for (let count = 0; count < 20; count++) readMeaning({ code: 550, lines: [text] });
    // A quadratic pattern would take minutes.
    expect(cpuMs() - began).toBeLessThan(3_000);
  });
});
