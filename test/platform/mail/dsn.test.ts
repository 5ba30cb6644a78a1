/** Delivery reports as mail servers send them (test/corpus/dsn, with invented addresses). */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { readReport } from '../../../src/platform/mail/dsn.ts';
import { cpuMs } from '../../peers/cpu-time.ts';

const raw = (name: string) => readFileSync(join(import.meta.dir, '../../corpus/dsn', `${name}.eml`), 'utf8');
const bytes = (text: string) => Buffer.from(text);

/** As `address action status`. */
const listRecipients = (text: string) =>
  readReport(bytes(text))?.recipients.map(
    ({ addresses, action, status }) => `${addresses.join('|')} ${action} ${status}`,
  ) ?? null;

const ANN = 'ann@receiver.example';
const cases: Record<string, string[] | null> = {
  postfix: [`${ANN} failed 5.1.1`],
  'postfix-delayed': [`${ANN} delayed 4.4.1`],
  'postfix-old': [`${ANN} failed 5.0.0`, 'second@other.example failed 5.2.2'],
  exim: [`${ANN} failed 5.1.1`],
  'exim-old': [`${ANN} failed 5.0.0`, 'second@other.example failed 5.0.0'],
  'exim-warning': [`${ANN} delayed null`],
  sendmail: [`${ANN} failed 5.1.1`],
  'sendmail-old': [`${ANN} failed 5.0.0`],
  microsoft365: [`${ANN} failed 5.1.10`],
  'exchange-text': [`${ANN} failed 5.1.10`],
  'exchange-5.5': [`${ANN} failed 5.0.0`],
  gmail: [`${ANN} failed 5.1.1`],
  gmx: [`${ANN} failed 5.1.1`, 'second@other.example failed 5.2.2'],
  qmail: [`${ANN} failed 5.1.1`, 'second@other.example failed 5.1.1'],
  delivered: [`${ANN} other 2.0.0`],
  utf8: ['änn@receiver.example|ann+2btag@receiver.example|ann+tag@receiver.example failed 5.2.1'],
  vacation: null,
};

for (const [name, expected] of Object.entries(cases)) {
  test(`the report ${name} is understood, with LF and with CRLF`, () => {
    expect(listRecipients(raw(name))).toEqual(expected);
    expect(listRecipients(raw(name).replaceAll('\n', '\r\n'))).toEqual(expected);
  });
}

test('a delay is no failure, wherever its sentence is broken', () => {
  for (const sentence of [
    'Delivery is delayed to these recipients:',
    'Delivery is\ndelayed to\nthese recipients:',
  ]) {
    const report = `From: postmaster@receiver.example\nSubject: Delayed\n\n${sentence}\n\n${ANN}\nIt will be tried again.\n`;
    expect([sentence, listRecipients(report)]).toEqual([sentence, [`${ANN} delayed null`]]);
  }
});

test('the server’s text is kept, without its type prefix', () => {
  const text = (name: string) => readReport(bytes(raw(name)))?.recipients[0]?.text ?? '';
  expect(text('postfix')).toStartWith('550 5.1.1 <ann@receiver.example>: Recipient address rejected');
  expect(text('qmail')).toContain('550 5.1.1');
  expect(text('exchange-5.5')).toContain('The recipient name is not recognized');
});

test('a text-only report is recognised without its MIME part too', () => {
  for (const name of ['postfix', 'exim', 'sendmail']) {
    const without = raw(name).replace('message/delivery-status', 'application/octet-stream');
    expect(listRecipients(without)?.[0]).toStartWith(`${ANN} failed 5.`);
  }
});

test('a report that quotes another one yields only its own recipients', () => {
  const inner = raw('postfix').replaceAll(ANN, 'inner@receiver.example');
  const text = `Content-Type: multipart/mixed; boundary=x\n\n--x\n\nlook at this\n--x\nContent-Type: message/rfc822\n\n${inner}\n--x--\n`;
  expect(listRecipients(text)).toBeNull();
});

test('no input makes the parser fail or take long', () => {
  const corpus = Object.keys(cases).map(raw);
  fc.assert(
    fc.property(
      fc.constantFrom(...corpus),
      fc.nat(),
      fc.nat(2000),
      fc.string({ maxLength: 50 }),
      (text, at, cut, put) => {
        const where = at % text.length;
        const began = cpuMs();
        readReport(bytes(text.slice(0, where) + put + text.slice(where + cut)));
        return cpuMs() - began < 1_000;
      },
    ),
    { numRuns: 500 },
  );
});

const hostile: Record<string, string> = {
  'a million fields': `Content-Type: message/delivery-status\n\n${'Final-Recipient: rfc822; a@b.example\nAction: failed\n\n'.repeat(20_000)}`,
  'one long line of @': `\n\n${'a@'.repeat(500_000)}`,
  'blanks without end': `Content-Type: message/delivery-status\n\nFinal-Recipient: ${' '.repeat(500_000)}x`,
  'folded without end': `Subject: a\n${' b\n'.repeat(200_000)}\n`,
  'boundaries without end': `Content-Type: multipart/report; boundary=b\n\n${'--b\n'.repeat(100_000)}`,
  'parts in parts': Array.from(
    { length: 1000 },
    (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n`,
  ).join(''),
  'addresses without end': `\n\nHi. This is the qmail-send program\n${'<a@b.example>:\n'.repeat(30_000)}`,
  'one long address line': `\n\nHi. This is the qmail-send program\n${'<a@b.example> '.repeat(30_000)}`,
  'blank lines': `Content-Type: message/delivery-status\n\n${'\n \t\n'.repeat(100_000)}`,
  digits: `Content-Type: message/delivery-status\n\nFinal-Recipient: x;a@b.example\nAction: failed\nStatus: ${'5.1.'.repeat(100_000)}`,
};
for (const [name, text] of Object.entries(hostile)) {
  test(`a hostile report is read in time: ${name}`, () => {
    const began = cpuMs();
    const report = readReport(bytes(text));
    expect(cpuMs() - began).toBeLessThan(1_000);
    expect(report?.recipients.length ?? 0).toBeLessThanOrEqual(100);
  });
}
