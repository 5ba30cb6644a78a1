/** Small mails share a zstd frame with their content (src/platform/mail/stored-mail.ts), and come back as they came. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { searchJobs } from '../../../src/features/messages/index-search.ts';
import { ONE_FRAME_MAIL_BYTES } from '../../../src/platform/mail/stored-mail.ts';
import { Mailbox } from '../../doors/smtp/mailbox.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { countOneFrameMails } from '../../store-state.ts';

let appliance: RunningAppliance;
let box: Mailbox;
beforeAll(async () => {
  appliance = await startAppliance({ settings: { limits: 'off' } });
  box = await Mailbox.open(appliance);
});
afterAll(() => appliance[Symbol.asyncDispose]());

/** A mail of exactly this size, with a text and an attachment that takes up the rest. */
function makeMail(bytes: number, word: string): { raw: Buffer; file: Buffer } {
  const head = [
    'From: Ann <ann@example.org>',
    `Subject: ${word}`,
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain; charset=utf-8',
    '',
    `The ${word} is here. Your code is 482913.`,
    '--b',
    'Content-Type: application/octet-stream',
    `Content-Disposition: attachment; filename="${word}.bin"`,
    'Content-Transfer-Encoding: base64',
    '',
    '',
  ].join('\r\n');
  const end = '\r\n--b--\r\n';
  const left = bytes - head.length - end.length;
  const file = randomBytes(Math.floor(left / 78) * 57);
  const lines = file.toString('base64').replace(/.{76}(?=.)/g, '$&\r\n');
  // Spaces after the last part belong to no part.
  const raw = Buffer.from(
    `${head}${lines}${end}`
      .padEnd(bytes - 2, ' ')
      .concat('\r\n')
      .slice(-bytes),
  );
  return { raw, file };
}

test.each([
  [-1, true],
  [0, true],
  [1, false],
  [5_000, false],
])('a mail whose size is the bound plus %d bytes comes back byte for byte', async (more, isOne) => {
  const size = ONE_FRAME_MAIL_BYTES + more;
  const word = `marzipan${size}`;
  const { raw, file } = makeMail(size, word);
  const before = countOneFrameMails(appliance);
  const message = await box.receive(raw);
  expect(countOneFrameMails(appliance) - before).toBe(isOne ? 1 : 0);
  expect(message).toMatchObject({
    otp: '482913',
    size,
    text: expect.stringContaining(`The ${word} is here.`),
  });
  expect(message.attachments).toMatchObject([{ filename: `${word}.bin`, size: file.length }]);
  expect((await box.raw(message.id)).equals(raw)).toBe(true);
  expect((await box.attachment(message.id, 0)).equals(file)).toBe(true);
  for (const job of searchJobs) await appliance.run(job);
  for (const query of [`body:${word}`, `filename:${word}.bin`]) {
    const path = `/api/v1/inboxes/${box.id}/messages?search=${encodeURIComponent(query)}`;
    const found = JSON.parse((await box.bytes(path)).toString());
    expect(found.data.map(({ id }: { id: string }) => id)).toEqual([message.id]);
  }
});

test.each([
  ['nothing', ''],
  ['a header alone', 'Subject: x\r\n'],
  ['bytes of no charset', Buffer.from([0, 255, 254, 13, 10, 13, 10, 128, 0, 7, 13, 10])],
  ['what looks like content', '\r\n{"text":"x"},"truncated":false}\r\n'],
  [
    'noise',
    Buffer.from(
      randomBytes(3_000)
        .toString('latin1')
        .replace(/[\r\n]/g, '_'),
      'latin1',
    ),
  ],
])('a mail with %s comes back byte for byte', async (_, given) => {
  const raw = Buffer.concat([Buffer.from(given), Buffer.from('\r\n')]);
  const message = await box.receive(raw);
  expect((await box.raw(message.id)).equals(raw)).toBe(true);
});
