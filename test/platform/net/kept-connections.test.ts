import { expect, test } from 'bun:test';
import { makeResolver } from '../../../src/platform/net/dns.ts';
import { KeptConnections } from '../../../src/platform/net/kept-connections.ts';
import { type PostOptions, post } from '../../../src/platform/net/post.ts';
import { startDnsServer } from '../../peers/dns-server.ts';
import { startReceiver, testCa } from '../../peers/https-receiver.ts';
import { until } from '../../until.ts';

const trusted = [(await testCa()).pem];

async function scene(options: Parameters<typeof startReceiver>[0] = {}) {
  const dns = await startDnsServer();
  const receiver = await startReceiver({ host: '0.0.0.0', ...options });
  dns.setAddresses('hook.test', '127.0.0.1');
  const connections = new KeptConnections();
  const base = {
    url: `${options.kind === 'http' ? 'http' : 'https'}://hook.test:${receiver.port}/in`,
    resolver: makeResolver([dns]),
    headers: {},
    body: Buffer.from('{}'),
    extraCa: trusted,
    allow: [{ address: '127.0.0.0', prefix: 8 }],
  };
  return {
    dns,
    receiver,
    connections,
    send: (name = 'one', more: Partial<PostOptions> = {}) =>
      post({ ...base, kept: { connections, name }, ...more }),
    async [Symbol.asyncDispose]() {
      connections.close();
      await receiver[Symbol.asyncDispose]();
      await dns[Symbol.asyncDispose]();
    },
  };
}

const isOk = { kind: 'answered', status: 200 } as const;

/** Waits until the connection is idle, a moment after the answer. */
async function untilIdle(connections: KeptConnections, count: number): Promise<void> {
  await until(() => connections.idle === count);
}

for (const kind of ['https', 'http'] as const) {
  test(`${kind}: requests in a row use one connection, and each is whole`, async () => {
    await using at = await scene({ kind });
    for (let count = 1; count <= 4; count++) {
      at.receiver.answer({ body: `answer ${count}` });
      const body = Buffer.alloc(count * 20_000, String(count));
      expect(await at.send('one', { body })).toMatchObject({ ...isOk, body: `answer ${count}` });
      expect(at.receiver.requests.at(-1)?.body.equals(body)).toBe(true);
      await untilIdle(at.connections, 1);
    }
    expect(at.receiver.connections).toBe(1);
    expect(at.receiver.requests[3]?.headers).toMatchObject({ connection: 'keep-alive' });
  });
}

test('each name has connections of its own', async () => {
  await using at = await scene();
  for (const [index, name] of ['one', 'other', 'one', 'other'].entries()) {
    expect(await at.send(name)).toMatchObject(isOk);
    await untilIdle(at.connections, Math.min(index + 1, 2));
  }
  expect(at.receiver.connections).toBe(2);
});

test('a name that now resolves elsewhere is dialled anew, and refused if that address is forbidden', async () => {
  await using at = await scene();
  expect(await at.send()).toMatchObject(isOk);
  await untilIdle(at.connections, 1);
  at.dns.setAddresses('hook.test', '127.0.0.2');
  expect(await at.send()).toMatchObject(isOk);
  expect(at.receiver.connections).toBe(2);
  at.dns.setAddresses('hook.test', '10.0.0.1');
  expect(await at.send()).toMatchObject({ kind: 'refused' });
  expect(at.receiver.requests).toHaveLength(2);
});

test('a connection that the server has closed costs no attempt, as the request is sent over a new one', async () => {
  await using at = await scene();
  expect(await at.send()).toMatchObject(isOk);
  await untilIdle(at.connections, 1);
  // The second request is cut off on the kept connection, as by a server that was just closing it.
  at.receiver.answer({ how: 'reset' }, { body: 'again' });
  expect(await at.send()).toMatchObject({ ...isOk, body: 'again' });
  expect([at.receiver.requests.length, at.receiver.connections]).toEqual([3, 2]);
});

test('a new connection that is cut off is not tried again', async () => {
  await using at = await scene();
  at.receiver.answer({ how: 'reset' });
  expect((await at.send()).kind).toBe('unreachable');
  expect(at.receiver.requests).toHaveLength(1);
});

test('a kept connection that never answers is not tried again', async () => {
  await using at = await scene();
  expect(await at.send()).toMatchObject(isOk);
  await untilIdle(at.connections, 1);
  at.receiver.answer({ how: 'no answer' });
  const outcome = await at.send('one', { timeouts: { totalMs: 200 } });
  expect(outcome).toMatchObject({ kind: 'unreachable', reasons: ['127.0.0.1: no answer within 200 ms'] });
  expect(at.receiver.requests).toHaveLength(2);
  expect(at.connections.idle).toBe(0);
});

test('a response that does not end, or that asks to close, closes the connection', async () => {
  await using at = await scene();
  const rows = [
    { how: 'endless body' },
    { headers: { connection: 'close' } },
    { status: 500, body: 'no' },
  ] as const;
  for (const [index, answer] of rows.entries()) {
    at.receiver.answer(answer);
    expect((await at.send()).kind).toBe('answered');
    expect(at.receiver.connections).toBe(index + 1);
    if (index < 2) while (at.receiver.open > 0) await Bun.sleep(1);
  }
  // Only the last one was whole.
  await untilIdle(at.connections, 1);
});

test('idle connections close by themselves, and all at the end', async () => {
  await using at = await scene();
  expect(await at.send()).toMatchObject(isOk);
  await untilIdle(at.connections, 1);
  const keptAt = performance.now();
  await until(() => at.receiver.open === 0);
  expect(performance.now() - keptAt).toBeWithin(1_000, 4_000);
  expect(await at.send()).toMatchObject(isOk);
  await untilIdle(at.connections, 1);
  at.connections.close();
  await until(() => at.receiver.open === 0);
});

test('at most 64 connections stay open, whoever they belong to', async () => {
  await using at = await scene({ kind: 'http' });
  await Promise.all(Array.from({ length: 80 }, (_, index) => at.send(`hook ${index}`)));
  await until(() => at.receiver.open <= 64);
  expect(at.connections.idle).toBe(64);
  expect(at.receiver.open).toBe(64);
});

test('at most four connections of one name stay open', async () => {
  await using at = await scene({ kind: 'http' });
  const all = Promise.withResolvers<void>();
  at.receiver.answer({ until: all.promise });
  const sent = Array.from({ length: 8 }, () => at.send());
  await at.receiver.received(8);
  all.resolve();
  await Promise.all(sent);
  await until(() => at.receiver.open <= 4);
  expect([at.connections.idle, at.receiver.open]).toEqual([4, 4]);
});

test('bytes that a server sends after its response never answer the next request to another name', async () => {
  await using at = await scene({ kind: 'http' });
  const one = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
  at.receiver.answer(
    { how: { raw: `${one}HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n` } },
    { body: 'fine' },
  );
  expect(await at.send()).toMatchObject(isOk);
  expect(await at.send('other')).toMatchObject({ ...isOk, body: 'fine' });
});
