/**
 * A receiver that misbehaves on a connection that is kept: what it says about one request, too early, too late or too
 * much, never counts for the next one.
 */
import { expect, test } from 'bun:test';
import { createServer, type Socket } from 'node:net';
import { makeResolver } from '../../../src/platform/net/dns.ts';
import { KeptConnections } from '../../../src/platform/net/kept-connections.ts';
import { type PostOptions, post } from '../../../src/platform/net/post.ts';
import { startDnsServer } from '../../peers/dns-server.ts';

interface Asked {
  socket: Socket;
  body: string;
  /** Of the connection, from 1. */
  connection: number;
}

/** A server over bare sockets; `react` gets each request once it is whole. */
async function scene(react: (asked: Asked, nth: number) => void) {
  const dns = await startDnsServer();
  dns.setAddresses('hook.test', '127.0.0.1');
  const sockets = new Set<Socket>();
  const asked: Asked[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    const connection = ++connections;
    let text = '';
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
      for (;;) {
        const at = text.indexOf('\r\n\r\n');
        const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
        if (at < 0 || text.length < at + 4 + length) return;
        const one = { socket, connection, body: text.slice(at + 4, at + 4 + length) };
        text = text.slice(at + 4 + length);
        asked.push(one);
        react(one, asked.length);
      }
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const kept = new KeptConnections();
  const { port } = server.address() as { port: number };
  return {
    asked,
    kept,
    get connections() {
      return connections;
    },
    get open() {
      return sockets.size;
    },
    send: (body: string, more: Partial<PostOptions> = {}) =>
      post({
        url: `http://hook.test:${port}/in`,
        resolver: makeResolver([dns]),
        headers: {},
        extraCa: [],
        allow: [{ address: '127.0.0.0', prefix: 8 }],
        body: Buffer.from(body),
        kept: { connections: kept, name: 'one' },
        timeouts: { totalMs: 1_000 },
        ...more,
      }),
    async [Symbol.asyncDispose]() {
      kept.close();
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((done) => server.close(() => done()));
      await dns[Symbol.asyncDispose]();
    },
  };
}

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const GONE = 'HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n';
const BUSY = 'HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n';

const status = (outcome: Awaited<ReturnType<typeof post>>) =>
  outcome.kind === 'answered' ? outcome.status : outcome.kind;

async function rest(ms = 30) {
  await Bun.sleep(ms);
}

test('a second response to one request does not count for the next', async () => {
  await using at = await scene(({ socket }, nth) => socket.write(nth === 1 ? OK + GONE : BUSY));
  expect(status(await at.send('first'))).toBe(200);
  await rest();
  expect(status(await at.send('second'))).toBe(503);
  expect(at.asked.map(({ body }) => body)).toEqual(['first', 'second']);
});

test('a response that comes while the connection is idle does not count for the next request', async () => {
  await using at = await scene(({ socket }, nth) => {
    socket.write(nth === 1 ? OK : BUSY);
    if (nth === 1) setTimeout(() => socket.write(OK), 10);
  });
  expect(status(await at.send('first'))).toBe(200);
  await rest();
  expect(status(await at.send('second'))).toBe(503);
  expect(at.connections).toBe(2);
});

test('a late response to a request that was given up does not count for the next', async () => {
  await using at = await scene(({ socket }, nth) => {
    if (nth === 1) socket.write(OK);
    else if (nth === 2) setTimeout(() => socket.write(OK), 150);
    else socket.write(BUSY);
  });
  expect(status(await at.send('first'))).toBe(200);
  await rest(5);
  expect(status(await at.send('second', { timeouts: { totalMs: 100 } }))).toBe('unreachable');
  expect(status(await at.send('third'))).toBe(503);
  expect(at.asked.map(({ connection }) => connection)).toEqual([1, 1, 2]);
});

test('a response whose second half comes with the next request counts only for the first', async () => {
  await using at = await scene(({ socket }, nth) => {
    if (nth === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 200\r\n\r\nhalf');
    else socket.write(BUSY);
  });
  expect(status(await at.send('first', { timeouts: { totalMs: 150 } }))).toBe(200);
  expect(status(await at.send('second'))).toBe(503);
  expect(at.connections).toBe(2);
});

test('half a header is not a response', async () => {
  await using at = await scene(({ socket }, nth) => {
    if (nth === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-le');
    else socket.write(BUSY);
  });
  expect(status(await at.send('first', { timeouts: { totalMs: 150 } }))).toBe('unreachable');
  expect(status(await at.send('second'))).toBe(503);
});

test('a response without a length ends with its connection', async () => {
  await using at = await scene(({ socket }, nth) => {
    if (nth === 1) socket.write(`HTTP/1.1 200 OK\r\n\r\nok${GONE}`, () => setTimeout(() => socket.end(), 20));
    else socket.write(BUSY);
  });
  expect(status(await at.send('first'))).toBe(200);
  expect(status(await at.send('second'))).toBe(503);
  expect(at.connections).toBe(2);
});

test('after a response with both a length and chunks, or with two lengths, the connection is not reused', async () => {
  for (const head of [
    'content-length: 2\r\ntransfer-encoding: chunked',
    'content-length: 2\r\ncontent-length: 40',
    'transfer-encoding: chunked, identity',
  ]) {
    await using at = await scene(({ socket }, nth) =>
      socket.write(nth === 1 ? `HTTP/1.1 200 OK\r\n${head}\r\n\r\n0\r\n\r\n${GONE}` : BUSY),
    );
    await at.send('first', { timeouts: { totalMs: 150 } });
    await rest();
    expect([head, status(await at.send('second'))]).toEqual([head, 503]);
  }
});

test('1xx responses are skipped, and a flood of them ends the attempt', async () => {
  let flood: Timer | undefined;
  await using at = await scene(({ socket }, nth) => {
    if (nth === 1)
      socket.write(`HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n${OK}`);
    else if (nth === 2)
      flood = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'.repeat(1_000)), 1);
    else socket.write(BUSY);
  });
  expect(status(await at.send('first'))).toBe(200);
  await rest(5);
  const outcome = await at.send('second');
  clearInterval(flood);
  expect(outcome).toMatchObject({ reasons: ['127.0.0.1: too many interim answers (1xx)'] });
  expect(status(await at.send('third'))).toBe(503);
});

test('blank lines in place of a response end the attempt', async () => {
  let flood: Timer | undefined;
  await using at = await scene(({ socket }, nth) => {
    if (nth === 2) flood = setInterval(() => socket.write('\r\n'.repeat(10_000)), 1);
    else socket.write(nth === 1 ? OK : BUSY);
  });
  expect(status(await at.send('first'))).toBe(200);
  await rest(5);
  const outcome = await at.send('second');
  clearInterval(flood);
  expect(outcome).toMatchObject({ reasons: ['127.0.0.1: too many bytes before an answer'] });
  expect(status(await at.send('third'))).toBe(503);
});

test('a chunk size without end ends the response, long before its time is up', async () => {
  let flood: Timer | undefined;
  await using at = await scene(({ socket }, nth) => {
    if (nth > 1) return void socket.write(BUSY);
    socket.write('HTTP/1.1 410 Gone\r\ntransfer-encoding: chunked\r\n\r\n');
    flood = setInterval(() => socket.write('0'.repeat(100_000)), 1);
  });
  const outcome = await at.send('first', { timeouts: { totalMs: 60_000 } });
  clearInterval(flood);
  expect(outcome).toMatchObject({ kind: 'answered', status: 410, body: '' });
  expect(status(await at.send('second'))).toBe(503);
});

test('a header without end is cut off, and costs no memory', async () => {
  let flood: Timer | undefined;
  await using at = await scene(({ socket }, nth) => {
    if (nth > 1) return void socket.write(BUSY);
    socket.write('HTTP/1.1 200 OK\r\n');
    flood = setInterval(() => socket.write(`x: ${'y'.repeat(100_000)}\r\n`), 1);
  });
  const before = process.memoryUsage.rss();
  const outcome = await at.send('first', { timeouts: { totalMs: 500 } });
  clearInterval(flood);
  expect(status(outcome)).toBe('unreachable');
  expect(process.memoryUsage.rss() - before).toBeLessThan(60e6);
  expect(status(await at.send('second'))).toBe(503);
});

test('a request on a connection that closes at that moment is repeated over a new one', async () => {
  await using at = await scene(({ socket }, nth) => {
    if (nth === 1) socket.write(OK, () => setTimeout(() => socket.destroy(), 5));
    else socket.write(BUSY);
  });
  for (let round = 0; round < 20; round++) {
    const before = at.asked.length;
    const first = await at.send('first');
    expect([200, 503]).toContain(status(first) as number);
    await Bun.sleep(round % 8);
    expect(status(await at.send('second'))).toBe(503);
    expect(at.asked.length - before).toBeLessThanOrEqual(3);
  }
});

test('a response sent before the whole request was read leaves no part of its body to another request', async () => {
  const body = 'x'.repeat(4_000_000);
  const bodies: string[] = [];
  await using at = await scene(({ socket, body: read }) => {
    bodies.push(read.slice(0, 10));
    socket.write(OK);
  });
  expect(status(await at.send(body, { timeouts: { totalMs: 5_000 } }))).toBe(200);
  expect(status(await at.send('second'))).toBe(200);
  expect(bodies).toEqual(['xxxxxxxxxx', 'second']);
});
