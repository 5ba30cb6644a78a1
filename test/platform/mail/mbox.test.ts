import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { formatMbox, isMbox, MboxReader } from '../../../src/platform/mail/mbox.ts';

const AT = Date.UTC(2026, 10, 1, 8, 5, 9) * 1000;
const MAX = 1024 * 1024;

function mailsIn(file: Uint8Array, piece = file.length || 1): { raw: string; sender: string }[] {
  const reader = new MboxReader(MAX);
  const found = [];
  for (let at = 0; at < file.length; at += piece) found.push(...reader.push(file.subarray(at, at + piece)));
  found.push(...reader.end());
  return found.map(({ raw, sender }) => ({ raw: raw.toString('latin1'), sender }));
}

test('messages of any bytes come back unchanged, however the file is cut', () => {
  const piece = fc.constantFrom(
    'From ',
    '>From ',
    '>>From ',
    '\n',
    '\r\n',
    '\r',
    '\n\n',
    'From: x',
    'a',
    '\0',
    '\xff',
    '>',
  );
  const mail = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(fc.array(mail, { maxLength: 5 }), fc.integer({ min: 1, max: 40 }), (mails, cut) => {
      const file = Buffer.concat(
        mails.map((text) => formatMbox(Buffer.from(text, 'latin1'), 'a@example.org', AT)),
      );
      expect(mailsIn(file, cut)).toEqual(mails.map((raw) => ({ raw, sender: 'a@example.org' })));
    }),
    { numRuns: 300 },
  );
});

describe('a file of another program', () => {
  test('yields its messages without the separators', () => {
    const file = [
      'From ann@example.org Sat Nov 21 08:00:00 2026\nSubject: one\n\n>From the start\n\n',
      'From MAILER-DAEMON Sat Nov 21 08:00:01 2026\r\nSubject: two\r\n\r\nFrom here on,\r\nFrom a 08:00\r\n\r\n',
      'From - Sat Nov 21 08:00:02 2026\nSubject: three\n',
    ].join('');
    expect(mailsIn(Buffer.from(file), 7)).toEqual([
      { raw: 'Subject: one\n\nFrom the start\n', sender: 'ann@example.org' },
      { raw: 'Subject: two\r\n\r\nFrom here on,\r\nFrom a 08:00\r\n', sender: '' },
      { raw: 'Subject: three\n', sender: '' },
    ]);
  });

  test('with an endless message is refused before it fills the memory', () => {
    const reader = new MboxReader(1000);
    expect(() => [...reader.push(Buffer.alloc(1001, 'x'))]).toThrow('larger than 1000 bytes');
  });
});

test('the line before each message is one that other programs read', () => {
  const [line] = formatMbox(Buffer.from('x\n'), 'ann@example.org', AT).toString().split('\n');
  expect(line).toBe('From ann@example.org Sun Nov  1 08:05:09 2026 postern-bytes=2');
  expect(formatMbox(Buffer.from('x'), 'a b\n@c', AT).toString()).toStartWith('From MAILER-DAEMON Sun');
  expect([isMbox(Buffer.from('From a')), isMbox(Buffer.from('From: a')), isMbox(Buffer.from(''))]).toEqual([
    true,
    false,
    false,
  ]);
});
