/** Byte ranges, responses that a client already has, and HEAD of slow routes. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { parked } from '../../features/waits/doors.ts';
import { type Holder, type RunningAppliance, startAppliance } from '../../start.ts';

let appliance: RunningAppliance;
let owner: Holder;
let message: string;

beforeAll(async () => {
  appliance = await startAppliance({ settings: { limits: 'off' } });
  owner = await appliance.holder();
  const inbox = await appliance.inbox(owner);
  const raw = [
    ...['From: a@example.org', 'Content-Type: multipart/mixed; boundary=b', '', '--b'],
    ...['Content-Type: text/plain', 'Content-Disposition: attachment; filename=a.txt', '', '0123456789'],
    ...['--b--', ''],
  ].join('\r\n');
  const info = { index: 0, filename: 'a.txt', content_type: 'text/plain', size: 10 };
  const attachments = [{ ...info, content_id: null, inline: false }];
  message = await appliance.deliver(inbox.address, { raw, attachment_count: 1, content: { attachments } });
});
afterAll(() => appliance[Symbol.asyncDispose]());

const get = (path: string, headers: Record<string, string> = {}) =>
  appliance.request('GET', path, { key: owner.key, headers });

describe('a range', () => {
  test.each([
    ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
    ['bytes=4-', 206, '456789', 'bytes 4-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=-99', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=8-999999999999', 206, '89', 'bytes 8-9/10'],
    // However many digits: RFC 9110, 14.1.2, asks to expect large numbers.
    ['bytes=8-9223372036854775807', 206, '89', 'bytes 8-9/10'],
    [`bytes=8-${'9'.repeat(400)}`, 206, '89', 'bytes 8-9/10'],
    [`bytes=-${'9'.repeat(400)}`, 206, '0123456789', 'bytes 0-9/10'],
    ['BYTES=0-0', 206, '0', 'bytes 0-0/10'],
    // Several ranges, or none that can be read, get the whole.
    ['bytes=0-1,3-4', 200, '0123456789', null],
    ['bytes=5-2', 200, '0123456789', null],
    ['bytes=-', 200, '0123456789', null],
    ['lines=0-1', 200, '0123456789', null],
  ])('%s of an attachment is answered %d', async (range, status, text, contentRange) => {
    const reply = await get(`/api/v1/messages/${message}/attachments/0`, { range });
    expect([reply.status, reply.text, reply.headers.get('content-range')]).toEqual([
      status,
      text,
      contentRange,
    ]);
    expect(reply.headers.get('accept-ranges')).toBe('bytes');
  });

  test.each([
    'bytes=10-',
    'bytes=-0',
    'bytes=500-600',
    'bytes=99999999999999999999-',
    `bytes=${'9'.repeat(400)}-`,
  ])('%s beyond the end is answered 416', async (range) => {
    for (const path of ['attachments/0', 'raw']) {
      const far = path === 'raw' ? range.replace('10-', '100000-').replace('500-600', '50000-60000') : range;
      const reply = await get(`/api/v1/messages/${message}/${path}`, { range: far });
      expect([reply.status, reply.json.error.code]).toEqual([416, 'range_not_satisfiable']);
      expect(reply.headers.get('content-range')).toMatch(/^bytes \*\/\d+$/);
    }
  });

  test('of the raw mail has the same bytes as the whole, across the trace lines and pieces', async () => {
    const bytes = Buffer.from('Subject: x\r\n\r\n'.padEnd(600_000, 'abcdefghij\r\n'));
    const inbox = await appliance.inbox(owner);
    const small = await appliance.deliver(inbox.address, { raw: bytes });
    const path = `/api/v1/messages/${small}/raw`;
    const whole = await get(path);
    expect(whole.status).toBe(200);
    for (const [from, to] of [
      [0, 20],
      [50, 400],
      [262_000, 263_000],
      [599_000, whole.text.length - 1],
    ] as const) {
      const part = await get(path, { range: `bytes=${from}-${to}` });
      expect([part.status, part.text === whole.text.slice(from, to + 1)]).toEqual([206, true]);
      expect(part.headers.get('content-range')).toBe(`bytes ${from}-${to}/${whole.text.length}`);
    }
  });

  test('with If-Range returns a part of the same version only', async () => {
    const path = `/api/v1/messages/${message}/attachments/0`;
    const etag = (await get(path)).headers.get('etag')!;
    const ask = async (condition: string) =>
      (await get(path, { range: 'bytes=0-1', 'if-range': condition })).status;
    expect(await ask(etag)).toBe(206);
    expect(await ask('"another"')).toBe(200);
    expect(await ask(`W/${etag}`)).toBe(200);
    expect(await ask('Sun, 22 Nov 2026 08:00:00 GMT')).toBe(200);
  });
});

test('a mail or an attachment is not sent again to a client that has it, whichever part it asks for', async () => {
  for (const path of [`/api/v1/messages/${message}/raw`, `/api/v1/messages/${message}/attachments/0`]) {
    const whole = await get(path);
    const etag = whole.headers.get('etag')!;
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      for (const range of ['', 'bytes=0-1', 'bytes=99999-']) {
        const again = await get(path, { 'if-none-match': known, ...(range === '' ? {} : { range }) });
        expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
        const policy = 'content-security-policy';
        expect(again.headers.get(policy)).toBe(whole.headers.get(policy));
      }
    }
    expect((await get(path, { 'if-none-match': '"x"' })).text).toBe(whole.text);
    expect((await get(path, { 'if-none-match': '"x"', range: 'bytes=0-1' })).status).toBe(206);
  }
});

describe.each(['/api/v1/openapi.json', '/docs'])('%s', (path) => {
  const ask = async (headers: Record<string, string>) => {
    const answer = await fetch(appliance.url + path, { headers, decompress: false });
    return { answer, bytes: Buffer.from(await answer.arrayBuffer()) };
  };

  test('is sent in a compression that the client accepts', async () => {
    const plain = await ask({ 'accept-encoding': 'identity' });
    expect(plain.answer.headers.get('content-encoding')).toBeNull();
    for (const [accepted, coding, open] of [
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
    ] as const) {
      const { answer, bytes } = await ask({ 'accept-encoding': accepted });
      expect(answer.headers.get('content-encoding')).toBe(coding);
      expect(answer.headers.get('vary')).toBe('accept-encoding');
      expect(open(bytes).equals(plain.bytes)).toBe(true);
      expect(bytes.length).toBeLessThan(plain.bytes.length / 4);
    }
    expect((await ask({ 'accept-encoding': 'br;q=0, *;q=0' })).bytes.equals(plain.bytes)).toBe(true);
  });

  test('keeps its policy on a 304, from which browsers update it', async () => {
    const { headers } = (await ask({})).answer;
    const again = await ask({ 'if-none-match': headers.get('etag')! });
    expect(again.answer.status).toBe(304);
    const policy = 'content-security-policy';
    expect(again.answer.headers.get(policy)).toBe(headers.get(policy));
  });

  test('is not sent again to a client that has it', async () => {
    const first = await ask({ 'accept-encoding': 'br' });
    const etag = first.answer.headers.get('etag')!;
    expect(etag).toMatch(/^"[\w-]+-br"$/);
    expect((await ask({})).answer.headers.get('etag')).not.toBe(etag);
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const again = await ask({ 'accept-encoding': 'br', 'if-none-match': known });
      expect([again.answer.status, again.bytes.length]).toEqual([304, 0]);
      expect(again.answer.headers.get('etag')).toBe(etag);
    }
    expect((await ask({ 'if-none-match': '"x"' })).answer.status).toBe(200);
  });
});

test('HEAD of a wait or a stream answers at once, even when every slot is in use', async () => {
  const free = await appliance.holder('free');
  const inbox = await appliance.inbox(free);
  const held = Array.from({ length: 2 }, () => {
    const socket = connect(appliance.httpPort, '127.0.0.1');
    socket.write(
      `GET /api/v1/inboxes/${inbox.id}/messages/wait HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${free.key}\r\n\r\n`,
    );
    return socket;
  });
  const ask = (method: string, path: string) =>
    appliance.request(method, `/api/v1/inboxes/${inbox.id}/${path}`, { key: free.key });
  await parked(appliance, 2);
  expect((await ask('GET', 'messages/wait')).status).toBe(429);
  expect((await ask('HEAD', 'messages/wait')).status).toBe(204);
  expect((await ask('HEAD', 'stream')).status).toBe(200);
  await appliance.deliver(inbox.address);
  expect((await ask('HEAD', 'messages/wait?since=0&require=message')).status).toBe(200);
  for (const socket of held) socket.destroy();
});
