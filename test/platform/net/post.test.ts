import { describe, expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { makeResolver, type Resolver } from '../../../src/platform/net/dns.ts';
import { type PostOptions, post } from '../../../src/platform/net/post.ts';
import { type DnsServer, silence, startDnsServer } from '../../peers/dns-server.ts';
import { type Answer, makeCa, type Receiver, startReceiver, testCa } from '../../peers/https-receiver.ts';
import { until } from '../../until.ts';

const loopback = [{ address: '127.0.0.0', prefix: 8 }];
const quick = { totalMs: 600 };
const trusted = [(await testCa()).pem];
const own = { extraCa: trusted, allow: loopback, headers: { 'content-type': 'application/json' } };

interface Scene extends AsyncDisposable {
  dns: DnsServer;
  receiver: Receiver;
  resolver: Resolver;
  /** Sends to hook.test by default. */
  send(more?: Partial<PostOptions>): ReturnType<typeof post>;
}

async function scene(options: Parameters<typeof startReceiver>[0] = {}): Promise<Scene> {
  const dns = await startDnsServer();
  const receiver = await startReceiver(options);
  dns.setAddresses('hook.test', '127.0.0.1');
  const resolver = makeResolver([dns]);
  const scheme = options.kind === 'http' ? 'http' : 'https';
  const url = `${scheme}://hook.test:${receiver.port}/in?box=1`;
  return {
    dns,
    receiver,
    resolver,
    send: (more) => post({ ...own, url, resolver, body: Buffer.from('{"a":1}'), ...more }),
    async [Symbol.asyncDispose]() {
      await receiver[Symbol.asyncDispose]();
      await dns[Symbol.asyncDispose]();
    },
  };
}

describe('a post', () => {
  test('arrives whole, with the name in SNI, certificate and Host', async () => {
    await using at = await scene();
    at.receiver.answer({ status: 202, body: 'thanks' });
    const body = crypto.getRandomValues(new Uint8Array(60_000));
    expect(
      await at.send({
        body,
        headers: { 'x-service-event': 'email.received', Host: 'a', 'Content-Length': '1' },
      }),
    ).toEqual({
      kind: 'answered',
      status: 202,
      retryAfter: null,
      location: null,
      body: 'thanks',
      durationMs: expect.any(Number),
    });
    const [request] = at.receiver.requests;
    expect(request).toMatchObject({ method: 'POST', path: '/in?box=1', servername: 'hook.test' });
    expect(request?.headers).toEqual({
      'x-service-event': 'email.received',
      host: `hook.test:${at.receiver.port}`,
      'content-length': '60000',
      connection: 'close',
      'accept-encoding': 'identity',
    });
    expect(request?.body.equals(body)).toBe(true);
    expect(at.dns.asked.toSorted()).toEqual(['A hook.test udp', 'AAAA hook.test udp']);
  });

  test('to an IP address works when the certificate has it, without SNI', async () => {
    await using at = await scene({ names: ['hook.test', '127.0.0.1'] });
    const url = `https://127.0.0.1:${at.receiver.port}/`;
    expect(await at.send({ url })).toMatchObject({ kind: 'answered', status: 200 });
    expect(at.receiver.requests[0]?.servername).toBe('');
    expect(at.dns.asked).toEqual([]);
  });

  test('works over IPv6', async () => {
    const allow = [{ address: '::1', prefix: 128 }];
    await using at = await scene({ names: ['hook.test', '::1'], host: '::1' });
    at.dns.setAddresses('hook.test', '::1');
    expect(await at.send({ allow })).toMatchObject({ kind: 'answered', status: 200 });
    const url = `https://[0:0::1]:${at.receiver.port}/`;
    expect(await at.send({ allow, url })).toMatchObject({ kind: 'answered', status: 200 });
    expect(at.receiver.requests.map(({ headers }) => headers.host)).toEqual([
      `hook.test:${at.receiver.port}`,
      `[::1]:${at.receiver.port}`,
    ]);
  });

  test('trusts each CA of a bundle', async () => {
    await using at = await scene();
    const bundle = `# one
${(await makeCa()).pem}
# two
${trusted[0]}`;
    expect(await at.send({ extraCa: [bundle] })).toMatchObject({ kind: 'answered', status: 200 });
  });

  test('to a name with a trailing dot uses the name without it', async () => {
    await using at = await scene();
    const url = `https://HOOK.test.:${at.receiver.port}/`;
    expect(await at.send({ url })).toMatchObject({ kind: 'answered', status: 200 });
    expect(at.receiver.requests[0]).toMatchObject({
      servername: 'hook.test',
      headers: { host: `hook.test:${at.receiver.port}` },
    });
  });

  test('over plain http works to an allowed network', async () => {
    await using at = await scene({ kind: 'http' });
    expect(await at.send()).toMatchObject({ kind: 'answered', status: 200 });
    expect(at.receiver.requests[0]?.body.toString()).toBe('{"a":1}');
  });

  test('to localhost asks no DNS server', async () => {
    await using at = await scene({ names: ['localhost'] });
    const url = `https://localhost:${at.receiver.port}/`;
    expect(await at.send({ url })).toMatchObject({ kind: 'answered', status: 200 });
    expect(at.dns.asked).toEqual([]);
  });

  test('tries the next address when nobody listens at the first', async () => {
    await using at = await scene();
    at.dns.setAddresses('hook.test', '127.0.0.99', '127.0.0.1');
    expect(await at.send()).toMatchObject({ kind: 'answered', status: 200 });
    expect(at.receiver.requests).toHaveLength(1);
  });

  test('is sent once: no other address is tried when it may have been received', async () => {
    await using at = await scene({ host: '0.0.0.0' });
    at.dns.setAddresses('hook.test', '127.0.0.1', '127.0.0.2');
    at.receiver.answer({ how: 'reset' });
    expect((await at.send()).kind).toBe('unreachable');
    expect(at.receiver.requests).toHaveLength(1);
    expect(at.receiver.connections).toBe(1);
  });

  test('keeps no connection open', async () => {
    await using at = await scene();
    for (let count = 1; count <= 3; count++) {
      await at.send();
      expect(at.receiver.connections).toBe(count);
    }
    await until(() => at.receiver.open === 0);
  });

  test('ignores a proxy of the environment', async () => {
    await using at = await scene();
    await using proxy = await startReceiver({ kind: 'http' });
    const names = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY'];
    for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`;
    try {
      expect(await at.send()).toMatchObject({ kind: 'answered' });
    } finally {
      for (const name of names) delete process.env[name];
    }
    expect(proxy.connections).toBe(0);
  });

  test('with unsendable headers is reported as unreachable, not thrown', async () => {
    await using at = await scene();
    expect(await at.send({ headers: { a: 'b\r\nc: d' } })).toMatchObject({ kind: 'unreachable' });
    expect(await at.send({ extraCa: ['no certificate'] })).toMatchObject({ kind: 'unreachable' });
    expect(at.receiver.requests).toEqual([]);
  });
});

describe('an answer', () => {
  test.each([200, 204, 299, 400, 404, 408, 410, 425, 429, 500, 503, 599])(
    'of %i is reported',
    async (status) => {
      await using at = await scene();
      at.receiver.answer({ status, headers: { 'retry-after': '120' } });
      expect(await at.send()).toMatchObject({ kind: 'answered', status, retryAfter: '120' });
    },
  );

  test.each([301, 302, 303, 307, 308])('of %i is reported, and not followed', async (status) => {
    await using at = await scene();
    await using other = await startReceiver();
    at.receiver.answer({ status, headers: { location: `https://hook.test:${other.port}/` } });
    expect(await at.send()).toMatchObject({ kind: 'answered', status });
    expect(at.receiver.requests).toHaveLength(1);
    expect(other.connections).toBe(0);
  });

  test('is kept up to 2 KiB, without cutting a character in half', async () => {
    await using at = await scene();
    at.receiver.answer({ body: 'é'.repeat(20_000) }, { body: `x${'é'.repeat(20_000)}` });
    expect(await at.send()).toMatchObject({ status: 200, body: 'é'.repeat(1024) });
    expect(await at.send()).toMatchObject({ status: 200, body: `x${'é'.repeat(1023)}` });
  });

  test('that never ends is cut off', async () => {
    await using at = await scene();
    at.receiver.answer({ how: 'endless body' });
    const outcome = await at.send();
    expect(outcome).toMatchObject({ kind: 'answered', status: 200 });
    expect(outcome.kind === 'answered' && outcome.body.length).toBe(2048);
    await until(() => at.receiver.open === 0);
  });

  test('that stops in its body counts as an answer when the time is up', async () => {
    await using at = await scene();
    at.receiver.answer({ status: 201, how: 'stalled body', body: 'so far' });
    const outcome = await at.send({ timeouts: quick });
    expect(outcome).toMatchObject({ kind: 'answered', status: 201, body: 'so far' });
    expect(outcome.kind !== 'refused' && outcome.durationMs).toBeWithin(590, 2_000);
    await until(() => at.receiver.open === 0);
  });

  test('that is a compression bomb is not unpacked', async () => {
    await using at = await scene();
    const bomb = gzipSync(Buffer.alloc(60_000_000));
    at.receiver.answer({ headers: { 'content-encoding': 'gzip' }, body: bomb });
    const before = process.memoryUsage().rss;
    expect(await at.send()).toMatchObject({ kind: 'answered', status: 200 });
    expect(process.memoryUsage().rss - before).toBeLessThan(40_000_000);
  });

  test.each<[string, string, object]>([
    [
      'cut off in its body',
      'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc',
      { status: 200, body: 'abc' },
    ],
    ['of HTTP/1.0', 'HTTP/1.0 404 No\r\n\r\nabc', { status: 404, body: 'abc' }],
    ['with bad chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n', { status: 200 }],
    [
      'after an interim one',
      'HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 201 OK\r\n\r\nx',
      { status: 201, body: 'x' },
    ],
    ['that is no HTTP', 'hello\r\n\r\n', { kind: 'unreachable' }],
    ['that is empty', '', { kind: 'unreachable' }],
    ['that wants another protocol', 'HTTP/1.1 101 Go\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', {}],
    ['with endless headers', `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(100_000)}`, { kind: 'unreachable' }],
    ['with an endless header', `HTTP/1.1 200 OK\r\na: ${'b'.repeat(1_000_000)}`, { kind: 'unreachable' }],
    ['of interim ones only', 'HTTP/1.1 103 Hints\r\n\r\n'.repeat(10_000), { kind: 'unreachable' }],
  ])('%s has a bounded outcome', async (_, raw, outcome) => {
    await using at = await scene();
    at.receiver.answer({ how: { raw } });
    expect(await at.send()).toMatchObject(outcome);
  });
});

describe('unreachable is', () => {
  test.each<[string, Answer, RegExp]>([
    ['a server that never answers', { how: 'no answer' }, /no answer within 600 ms/],
    ['a server that answers too late', { delay_ms: 900 }, /no answer within 600 ms/],
    ['a server that resets the connection', { how: 'reset' }, /connection reset|closed without an answer/],
  ])('%s, after one request', async (_, answer, reason) => {
    await using at = await scene();
    at.receiver.answer(answer);
    const outcome = await at.send({ timeouts: quick });
    expect(outcome).toMatchObject({ kind: 'unreachable', reasons: [expect.stringMatching(reason)] });
    expect(outcome.kind === 'unreachable' && outcome.durationMs).toBeLessThan(2_000);
    expect(at.receiver.requests).toHaveLength(1);
  });

  test('a server that accepts and says nothing', async () => {
    await using at = await scene({ kind: 'mute' });
    const outcome = await at.send({ timeouts: { connectMs: 300 } });
    expect(outcome).toMatchObject({
      kind: 'unreachable',
      reasons: ['127.0.0.1: no secure connection within 300 ms'],
    });
    expect(outcome.kind === 'unreachable' && outcome.durationMs).toBeWithin(290, 3_000);
    await until(() => at.receiver.open === 0);
  });

  test('a server that speaks http where https is required', async () => {
    await using at = await scene({ kind: 'http' });
    const url = `https://hook.test:${at.receiver.port}/`;
    expect(await at.send({ url, timeouts: quick })).toMatchObject({ kind: 'unreachable' });
    expect(at.receiver.requests).toEqual([]);
  });

  test('a port where nobody listens', async () => {
    await using at = await scene();
    at.dns.setAddresses('hook.test', '127.0.0.98', '127.0.0.99');
    expect(await at.send()).toMatchObject({
      kind: 'unreachable',
      reasons: ['127.0.0.98: connection refused', '127.0.0.99: connection refused'],
    });
  });

  test.each<[string, () => Promise<Parameters<typeof startReceiver>[0]>, RegExp]>([
    ['another name in its certificate', async () => ({ names: ['other.test'] }), /ALTNAME/],
    ['the address alone in its certificate', async () => ({ names: ['127.0.0.1'] }), /ALTNAME/],
    ['a certificate of an unknown CA', async () => ({ ca: await makeCa() }), /UNABLE_TO_VERIFY/],
    ['TLS 1.1', async () => ({ tls: { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' } }), /VERSION/],
  ])('a server that has %s, which gets no request', async (_, options, reason) => {
    await using at = await scene(await options());
    expect(await at.send()).toMatchObject({
      kind: 'unreachable',
      reasons: [expect.stringMatching(reason)],
    });
    expect(at.receiver.connections).toBe(1);
    expect(at.receiver.requests).toEqual([]);
  });

  test('a server whose CA this post does not trust, whatever the environment says', async () => {
    await using at = await scene();
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    try {
      expect(await at.send({ extraCa: [] })).toMatchObject({ kind: 'unreachable' });
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    }
    expect(await at.send()).toMatchObject({ kind: 'answered' });
    expect(at.receiver.requests).toHaveLength(1);
  });

  test('a server whose name can’t be looked up in time', async () => {
    await using at = await scene();
    at.dns.set('hook.test', 'A', silence);
    at.dns.set('hook.test', 'AAAA', silence);
    const outcome = await at.send({ timeouts: quick });
    expect(outcome).toMatchObject({ kind: 'unreachable', reasons: ['no answer within 600 ms'] });
    expect(at.receiver.connections).toBe(0);
  });

  test('any server once the post is stopped, before or while it runs', async () => {
    await using at = await scene();
    at.receiver.answer({ how: 'no answer' });
    const stop = new AbortController();
    const running = at.send({ signal: stop.signal });
    await at.receiver.received(1);
    stop.abort();
    expect(await running).toMatchObject({ kind: 'unreachable', reasons: ['127.0.0.1: stopped'] });
    expect(await at.send({ signal: stop.signal })).toMatchObject({ kind: 'unreachable' });
    expect(at.receiver.requests).toHaveLength(1);
  });
});
