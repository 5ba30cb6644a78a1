import { describe, expect, test } from 'bun:test';
import { createServer } from 'node:net';
import { makeResolver, readServers } from '../../../src/platform/net/dns.ts';
import {
  type DnsAnswer,
  type DnsServer,
  nodata,
  refused,
  servfail,
  silence,
  startDnsServer,
} from '../../peers/dns-server.ts';

/** Times for a look-up that nobody answers. */
const quick = { tryMs: 150, totalMs: 400 };
/** Times for a server that is silent at first, and may then take its time. */
const patient = { tryMs: 150, totalMs: 5_000 };
const one: DnsAnswer = { records: [{ type: 'A', data: '192.0.2.1' }] };

describe.concurrent('a choice of servers', () => {
  const pair = async (first: DnsAnswer, second: DnsAnswer) => {
    const servers = [await startDnsServer(), await startDnsServer()] as const;
    servers[0].set('one.test', 'A', first);
    servers[1].set('one.test', 'A', second);
    const outcome = await makeResolver(servers, patient).a('one.test');
    const asked = servers.map((server: DnsServer) => server.asked.length);
    for (const server of servers) await server[Symbol.asyncDispose]();
    return { outcome, asked };
  };

  test('asks the next when one is silent, fails or refuses', async () => {
    for (const failing of [silence, servfail, refused]) {
      const { outcome } = await pair(failing, one);
      expect(outcome).toEqual({ kind: 'answer', records: ['192.0.2.1'], ttlS: 60 });
    }
  });

  test('uses the first definite answer, and asks no other server', async () => {
    for (const first of [one, nodata, { code: 3 }]) {
      const { outcome, asked } = await pair(first, servfail);
      expect(['answer', 'nodata', 'nxdomain']).toContain(outcome.kind);
      expect(asked).toEqual([1, 0]);
    }
  });

  test('prefers a failure to silence', async () => {
    expect((await pair(silence, servfail)).outcome.kind).toBe('servfail');
    expect((await pair(refused, silence)).outcome.kind).toBe('refused');
  });

  test('loses only a second to a dead server', async () => {
    await using dead = await startDnsServer();
    await using server = await startDnsServer();
    dead.set('one.test', 'A', silence);
    server.set('one.test', 'A', one);
    const started = performance.now();
    expect((await makeResolver([dead, server]).a('one.test')).kind).toBe('answer');
    expect(performance.now() - started).toBeWithin(950, 3_000);
  });

  test('still listens to a slow server while others are asked', async () => {
    const slow = { ...one, delay_ms: 400 };
    const { outcome, asked } = await pair(slow, silence);
    expect(outcome).toMatchObject({ kind: 'answer' });
    expect(asked[1]).toBeGreaterThan(0);
    // The only server may take all of the time.
    await using server = await startDnsServer();
    server.set('one.test', 'A', slow);
    expect((await makeResolver([server], patient).a('one.test')).kind).toBe('answer');
  });

  test('ends with a failure when the others stay silent for a while', async () => {
    const started = performance.now();
    expect((await pair(silence, refused)).outcome.kind).toBe('refused');
    expect(performance.now() - started).toBeLessThan(2_500);
  });

  test('repeats a question after a lost packet', async () => {
    await using server = await startDnsServer();
    server.set('one.test', 'A', silence, one);
    expect(await makeResolver([server], patient).a('one.test')).toEqual({
      kind: 'answer',
      records: ['192.0.2.1'],
      ttlS: 60,
    });
  });

  test('reports at once when nobody listens', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    const { port } = holder.address() as { port: number };
    await new Promise((done) => holder.close(done));
    const started = performance.now();
    const outcome = await makeResolver([{ host: '127.0.0.1', port }]).a('one.test');
    expect(outcome).toMatchObject({ kind: 'timeout' });
    expect(performance.now() - started).toBeLessThan(1_500);
  });

  test('ends in time when all are silent', async () => {
    await using server = await startDnsServer();
    server.set('one.test', 'A', silence);
    const started = performance.now();
    const servers = [server, server, server, server];
    expect((await makeResolver(servers, quick).a('one.test')).kind).toBe('timeout');
    expect(performance.now() - started).toBeWithin(350, 1_500);
  });
});

describe("the system's servers", () => {
  test.each<[string, string[]]>([
    ['', ['127.0.0.1']],
    ['# nameserver 192.0.2.9\noptions timeout:1\n', ['127.0.0.1']],
    ['search a.test\nnameserver 192.0.2.1\n nameserver\t2001:db8::1 \n', ['192.0.2.1', '2001:db8::1']],
    ['nameserver name.test\nnameserver\nnameserver 192.0.2.1', ['192.0.2.1']],
    ['nameserver fe80::1%eth0\n', ['fe80::1%eth0']],
    [
      [1, 2, 3, 4].map((at) => `nameserver 192.0.2.${at}`).join('\n'),
      ['192.0.2.1', '192.0.2.2', '192.0.2.3'],
    ],
  ])('of %p are %p', (text, hosts) => {
    expect(readServers(text)).toEqual(hosts.map((host) => ({ host, port: 53 })));
  });
});
