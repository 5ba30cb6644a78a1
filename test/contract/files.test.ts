/** The bytes of a mail and of its attachments. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type ReceivedMail, receiveMail } from '../../src/features/ingest/receive.ts';
import { formatTrace } from '../../src/features/messages/raw.ts';
import { type Holder, type RunningAppliance, startAppliance } from '../start.ts';
import { countRows } from '../store-state.ts';

let appliance: RunningAppliance;
let owner: Holder;

beforeAll(async () => {
  appliance = await startAppliance({ settings: { limits: 'off', mx_host: 'mx.mail.test' } });
  owner = await appliance.holder();
});
afterAll(() => appliance[Symbol.asyncDispose]());

const get = (path: string, headers?: Record<string, string>) =>
  appliance.request('GET', `/api/v1${path}`, { key: owner.key, headers });

const multipart = (filename: string, type: string, base64: string) =>
  [
    'From: a@example.org',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'see file',
    '--b',
    `Content-Type: ${type}`,
    `Content-Disposition: attachment; filename="${filename}"`,
    'Content-Transfer-Encoding: base64',
    '',
    base64,
    '--b--',
    '',
  ].join('\r\n');

const info = (filename: string | null, contentType: string, size: number) => ({
  attachment_count: 1,
  content: {
    attachments: [{ index: 0, filename, content_type: contentType, size, content_id: null, inline: false }],
  },
});

/** Stores a mail as SMTP does: parsed, and in pieces when it comes from a file. */
async function receive(address: string, raw: ReceivedMail['raw'], size: number) {
  const [stored] = await receiveMail(appliance.services, null, {
    raw,
    size,
    envelope_from: '',
    helo: 'client',
    client_address: '2001:db8::1',
    protocol: 'ESMTPS',
    smtp_user: null,
    session: 'test',
    recipients: [{ envelope_recipient: address, address }],
  });
  return stored?.message_id ?? '';
}

test('raw is the mail as received, after Return-Path and Received', async () => {
  const inbox = await appliance.inbox(owner);
  const raw = Buffer.from('Subject: x\r\n\r\nbytes \xff\x00\n.\nend', 'latin1');
  const id = await appliance.deliver(inbox.address, { raw });
  const response = await fetch(`${appliance.url}/api/v1/messages/${id}/raw`, {
    headers: { authorization: `Bearer ${owner.key}`, accept: 'message/rfc822' },
  });
  expect(response.headers.get('content-type')).toBe('message/rfc822');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('x-request-id')).toMatch(/^req_/);
  const bytes = Buffer.from(await response.arrayBuffer());
  const head = bytes.subarray(0, bytes.length - raw.length).toString();
  expect(bytes.subarray(-raw.length)).toEqual(raw);
  expect(head).toMatch(
    new RegExp(
      '^Return-Path: <sender@example\\.org>\r\n' +
        'Received: from client\\.example \\(\\[192\\.0\\.2\\.7\\]\\)\r\n' +
        `\tby mx\\.mail\\.test with ESMTP id ${id};\r\n` +
        '\t[A-Z][a-z]{2}, \\d{1,2} [A-Z][a-z]{2} \\d{4} \\d\\d:\\d\\d:\\d\\d \\+0000\r\n$',
    ),
  );
});

test('nothing that a client sends can break the lines of Return-Path and Received', () => {
  const lines = formatTrace(
    {
      id: 'msg_1',
      received_at: Date.UTC(2026, 0, 2, 3, 4, 5) * 1000,
      envelope_from: 'a@b\r\nX-Evil: 1',
      helo: 'h\nX-Evil: 2',
      client_address: '2001:db8::1',
      protocol: 'ESMTP',
    },
    'mx.test',
  );
  expect(lines).toBe(
    'Return-Path: <a@bX-Evil: 1>\r\nReceived: from hX-Evil: 2 ([IPv6:2001:db8::1])\r\n' +
      '\tby mx.test with ESMTP id msg_1;\r\n\tFri, 2 Jan 2026 03:04:05 +0000\r\n',
  );
});

test('a large mail and its attachment come back byte for byte, in pieces', async () => {
  const inbox = await appliance.inbox(owner);
  const file = randomBytes(2_000_000);
  const base64 = file.toString('base64').replace(/.{76}/g, '$&\r\n');
  const raw = Buffer.from(multipart('big.bin', 'application/x-thing', base64));
  const path = join(appliance.services.spoolDir, 'test-mail');
  await Bun.write(path, raw);
  const id = await receive(inbox.address, { file: path, checksum: crc32(raw) }, raw.length);
  const message = (await get(`/messages/${id}`)).json.data;
  expect(message.attachments).toMatchObject([{ index: 0, filename: 'big.bin', size: file.length }]);

  const headers = { authorization: `Bearer ${owner.key}` };
  const whole = await fetch(`${appliance.url}/api/v1/messages/${id}/raw`, { headers });
  expect(
    Buffer.from(await whole.arrayBuffer())
      .subarray(-raw.length)
      .equals(raw),
  ).toBe(true);
  const part = await fetch(`${appliance.url}/api/v1/messages/${id}/attachments/0`, { headers });
  expect(part.headers.get('content-type')).toBe('application/x-thing');
  expect(Buffer.from(await part.arrayBuffer()).equals(file)).toBe(true);
  // Nothing remains in the spool.
  expect(readdirSync(appliance.services.spoolDir).filter((name) => name.startsWith('req_'))).toEqual([]);
  const pieces = () => countRows(appliance, 'raw_chunk');
  expect(pieces()).toBeGreaterThan(0);
  await appliance.request('DELETE', `/api/v1/messages/${id}`, { key: owner.key });
  expect(pieces()).toBe(0);
});

test.each([
  ['a.txt', 'text/plain', `attachment; filename="a.txt"; filename*=UTF-8''a.txt`, 'text/plain'],
  [
    '../../etc/pass wd',
    'text/html',
    `attachment; filename="pass wd"; filename*=UTF-8''pass%20wd`,
    'text/html',
  ],
  [
    'a"b\r\nX: 1.txt',
    'not a type',
    `attachment; filename="a_bX: 1.txt"; filename*=UTF-8''a%22bX%3A%201.txt`,
    'application/octet-stream',
  ],
  [
    'Größe\u202egpj.exe',
    'image/png',
    `attachment; filename="Gr__egpj.exe"; filename*=UTF-8''Gr%C3%B6%C3%9Fegpj.exe`,
    'image/png',
  ],
  [
    '..',
    'a/b;c=d',
    `attachment; filename="attachment"; filename*=UTF-8''attachment`,
    'application/octet-stream',
  ],
  [null, 'a/b', `attachment; filename="attachment-0"; filename*=UTF-8''attachment-0`, 'a/b'],
])('an attachment named %j of type %j is harmless', async (filename, type, disposition, contentType) => {
  const inbox = await appliance.inbox(owner);
  const raw = multipart('x', 'text/plain', Buffer.from('abc').toString('base64'));
  const id = await appliance.deliver(inbox.address, { raw, ...info(filename, type, 3) });
  const reply = await get(`/messages/${id}/attachments/0`, { accept: 'image/webp' });
  expect([reply.status, reply.text]).toEqual([200, 'abc']);
  expect(reply.headers.get('content-disposition')).toBe(disposition);
  expect(reply.headers.get('content-type')).toBe(contentType);
  expect(reply.headers.get('content-security-policy')).toBe(
    "default-src 'none'; frame-ancestors 'none'; sandbox",
  );
  expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
});

test('only attachments that are listed can be fetched', async () => {
  const inbox = await appliance.inbox(owner);
  const id = await appliance.deliver(inbox.address, info('a', 'text/plain', 1));
  for (const index of ['1', '-1', '00', '0x0', 'x', '0.0', '%30%30', '99999999999999999999']) {
    expect((await get(`/messages/${id}/attachments/${index}`)).status).toBe(404);
  }
});

test('none of these requests caused a server error', () => expect(appliance.logged).toEqual([]));
