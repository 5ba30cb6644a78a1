/** DKIM signatures on unusual mails, verified by an independent implementation (mailauth). */
import { expect, test } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { toMailPieces } from '../../../src/platform/core/mail-pieces.ts';
import { signMail } from '../../../src/platform/mail/sign.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const key = { domain: 'b.test', selector: 's', privateKey: privateKey };
const record = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;

async function sign(mail: Buffer, by = key): Promise<Buffer> {
  return Buffer.concat([...(await signMail(toMailPieces(mail), by)).read()]);
}

async function verdict(mail: Buffer): Promise<string | undefined> {
  const { results } = await dkimVerify(mail, { resolver: async () => [[record]] });
  return results[0]?.status.result;
}

const heads = [
  'From: a@b.test\r\nTo: c@d.test\r\nSubject:   x \t y\r\n  folded \r\nDate: Sat, 21 Nov 2026 08:00:00 +0000',
  'FROM: a@b.test\r\nTo: q@d.test\r\nTo: r@d.test\r\nSubject:\r\nReferences: <a>\r\n\t<b>',
  'From: =?utf-8?q?=C3=A9?= <a@b.test>\r\nSubject: \xff\xfe',
];
const tail = [
  '',
  '\r\n',
  'x',
  'x \t y  \r\n\r\n\r\n',
  ' \r\n',
  '\t',
  'a\r\n \r\n\t\r\n',
  '.\r\n..\r\n',
  '\xe9\t\r\n',
];

test.each(heads)('a signature verifies whatever the spaces and the end of the message: %j', async (head) => {
  for (const body of tail) {
    const signed = await sign(Buffer.from(`${head}\r\n\r\n${body}`, 'latin1'));
    expect([body, await verdict(signed)]).toEqual([body, 'pass']);
    for (const line of signed.toString('latin1').split('\r\n')) expect(line.length).toBeLessThan(100);
  }
});

test('neither a second signed header nor a change in the body passes verification', async () => {
  const signed = await sign(Buffer.from(`${heads[0]}\r\n\r\nHello\r\n`));
  const text = signed.toString('latin1');
  for (const field of ['From: x@y.test', 'Subject: two', 'Cc: x@y.test', 'Reply-To: x@y.test']) {
    expect(await verdict(Buffer.from(`${field}\r\n${text}`))).not.toBe('pass');
  }
  expect(await verdict(Buffer.from(text.replace('Hello', 'Hellu')))).not.toBe('pass');
});

test('a message that can’t be signed is not returned unsigned', async () => {
  await expect(sign(Buffer.from('From: a@b.test\r\n'))).rejects.toThrow();
  const { privateKey: small } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const wrong = await sign(Buffer.from(`${heads[0]}\r\n\r\n`), { ...key, privateKey: small }).catch(
    () => null,
  );
  expect(wrong && (await verdict(wrong))).not.toBe('pass');
});
