/** Reading the Message-IDs of a mail's header. */
import { expect, test } from 'bun:test';
import { makeRef } from '../../../src/platform/mail/message-ids.ts';
import { parseMail } from '../../../src/platform/mail/parse.ts';

async function headers(...lines: string[]) {
  const { summary, content } = await parseMail(Buffer.from(`${lines.join('\r\n')}\r\n\r\nbody\r\n`));
  return { ...summary, ...content };
}

test('a Message-ID is read without the words around it, and only the first of several', async () => {
  const table: [string[], string | null][] = [
    [['<x.1@example.org> (added by postmaster@example.org)'], '<x.1@example.org>'],
    [['(added) <x.1@example.org>'], '<x.1@example.org>'],
    [['<x.1@example.org>;'], '<x.1@example.org>'],
    [['\r\n <x.1@\r\n example.org>'], '<x.1@example.org>'],
    [['x.1@example.org'], '<x.1@example.org>'],
    [['<x.1@example.org>', '<y.2@example.org>'], '<x.1@example.org>'],
    [['<Ünï@example.org>'], '<Ünï@example.org>'],
    [['x1'], '<x1>'],
    [[''], null],
  ];
  for (const [written, read] of table) {
    const mail = await headers(...written.map((value) => `Message-ID: ${value}`), 'From: ann@example.org');
    expect([written, mail.message_id]).toEqual([written, read]);
    // A reply names that one, and its thread is found by it.
    if (read?.includes('@')) expect(mail.ref).toBe(makeRef(read));
  }
});

test('In-Reply-To and References in UTF-8 are read as UTF-8', async () => {
  const mail = await headers('In-Reply-To: <ü@example.org>', 'References: <ö@example.org> <ü@example.org>');
  expect([mail.in_reply_to, mail.references]).toEqual([
    '<ü@example.org>',
    ['<ö@example.org>', '<ü@example.org>'],
  ]);
});

test('ids that Python has encoded as words are decoded', async () => {
  const mail = await headers(
    'Message-ID: =?utf-8?q?=3C176389.4412=2Ea=5Fvery=5Flong=5Fone=40?=\r\n =?utf-8?q?mail=2Eexample=2Eorg=3E?=',
    'In-Reply-To: =?us-ascii?B?PHlAZXhhbXBsZS5vcmc+?=',
    'References: <x@example.org> =?utf-8?q?=3Cy=40example=2Eorg=3E?=',
  );
  expect([mail.message_id, mail.in_reply_to, mail.references]).toEqual([
    '<176389.4412.a_very_long_one@mail.example.org>',
    '<y@example.org>',
    ['<x@example.org>', '<y@example.org>'],
  ]);
  expect(mail.ref).toBe(makeRef('<176389.4412.a_very_long_one@mail.example.org>'));
});
