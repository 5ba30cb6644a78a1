import { describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { makeResolver } from '../../../src/platform/net/dns.ts';
import {
  type DnsAnswer,
  nodata,
  refused,
  servfail,
  silence,
  startDnsServer,
} from '../../peers/dns-server.ts';
import { until } from '../../until.ts';

/** Times for a look-up that nobody answers. */
const quick = { tryMs: 150, totalMs: 400 };
const a = (data: string, name?: string) => ({ type: 'A' as const, data, ...(name && { name }) });
const alias = (data: string, name?: string) => ({ type: 'CNAME' as const, data, ...(name && { name }) });
const one: DnsAnswer = { records: [a('192.0.2.1')] };

describe('a look-up', () => {
  test('returns addresses, exchangers, and texts with their strings joined', async () => {
    await using server = await startDnsServer();
    const resolver = makeResolver([server]);
    server.setAddresses('one.test', '192.0.2.1', '192.0.2.2', '2001:db8::1');
    server.set('one.test', 'MX', {
      records: [
        { type: 'MX', data: '10 MX1.one.test' },
        { type: 'MX', data: '20 mx2.one.test' },
      ],
    });
    server.set('null.test', 'MX', { records: [{ type: 'MX', data: '0 ' }] });
    server.set('one.test', 'TXT', {
      records: [
        { type: 'TXT', data: ['v=DKIM1; p=', 'abc', 'def'] },
        { type: 'TXT', data: ['other'] },
      ],
    });
    expect(await resolver.a('One.Test.')).toEqual({
      kind: 'answer',
      records: ['192.0.2.1', '192.0.2.2'],
      ttlS: 60,
    });
    expect(await resolver.aaaa('one.test')).toEqual({ kind: 'answer', records: ['2001:db8::1'], ttlS: 60 });
    expect(await resolver.mx('one.test')).toEqual({
      kind: 'answer',
      records: [
        { priority: 10, exchange: 'mx1.one.test' },
        { priority: 20, exchange: 'mx2.one.test' },
      ],
      ttlS: 60,
    });
    expect(await resolver.mx('null.test')).toEqual({
      kind: 'answer',
      records: [{ priority: 0, exchange: '' }],
      ttlS: 60,
    });
    expect(await resolver.txt('one.test')).toEqual({
      kind: 'answer',
      records: ['v=DKIM1; p=abcdef', 'other'],
      ttlS: 60,
    });
  });

  test.each<[string, DnsAnswer, string]>([
    ['a name that is there without such a record is nodata', nodata, 'nodata'],
    ['a name that is not there is nxdomain', { code: 3 }, 'nxdomain'],
    ['a server that cannot answer is servfail', servfail, 'servfail'],
    ['a server that does not understand is servfail', { code: 1 }, 'servfail'],
    ['a server that will not answer is refused', refused, 'refused'],
    ['a server that says nothing is timeout', silence, 'timeout'],
  ])('works for %s', async (_, answer, kind) => {
    await using server = await startDnsServer();
    server.set('one.test', 'A', answer);
    expect((await makeResolver([server], quick).a('one.test')).kind).toBe(kind as 'nodata');
  });

  test.each([
    '',
    '.',
    'a..b',
    '.a',
    `${'a'.repeat(64)}.test`,
    `${'a.'.repeat(127)}a`,
    'ünicode.test',
    'a b',
    'a\nb',
  ])('of %p, which the DNS cannot hold, asks nobody', async (name) => {
    await using server = await startDnsServer();
    expect(await makeResolver([server], quick).a(name)).toEqual({ kind: 'nxdomain', ttlS: null });
    expect(server.asked).toEqual([]);
  });

  test('asks each time, without a cache', async () => {
    await using server = await startDnsServer();
    server.set('one.test', 'A', one, { records: [a('192.0.2.2')] });
    const resolver = makeResolver([server]);
    expect(await resolver.a('one.test')).toEqual({ kind: 'answer', records: ['192.0.2.1'], ttlS: 60 });
    expect(await resolver.a('one.test')).toEqual({ kind: 'answer', records: ['192.0.2.2'], ttlS: 60 });
  });

  test('does not read /etc/hosts', async () => {
    await using server = await startDnsServer();
    expect(await makeResolver([server]).a('localhost')).toEqual({ kind: 'nxdomain', ttlS: null });
  });

  test('works with a server on IPv6, by TCP too', async () => {
    await using server = await startDnsServer('::1');
    server.set('one.test', 'A', { ...one, isTruncated: true });
    expect(await makeResolver([server]).a('one.test')).toEqual({
      kind: 'answer',
      records: ['192.0.2.1'],
      ttlS: 60,
    });
    expect(server.asked).toEqual(['A one.test udp', 'A one.test tcp']);
  });

  test('works with a server given by name', async () => {
    await using server = await startDnsServer();
    server.set('one.test', 'A', { ...one, isTruncated: true });
    const resolver = makeResolver([{ host: 'localhost', port: server.port }]);
    expect(await resolver.a('one.test')).toEqual({ kind: 'answer', records: ['192.0.2.1'], ttlS: 60 });
  });

  test('leaves no socket behind, however it ends', async () => {
    await using server = await startDnsServer();
    server.setAddresses('one.test', '192.0.2.1');
    server.set('silent.test', 'A', silence);
    server.set('tcp.test', 'A', { isTruncated: true, tcp: 'silent' });
    const resolver = makeResolver([server], quick);
    await resolver.a('one.test');
    const open = () => readdirSync('/proc/self/fd').length;
    const before = open();
    const names = ['one.test', 'silent.test', 'tcp.test', 'none.test'];
    const kinds = await Promise.all(Array.from({ length: 100 }, (_, at) => resolver.a(names[at % 4] ?? '')));
    expect(new Set(kinds.map(({ kind }) => kind))).toEqual(new Set(['answer', 'timeout', 'nxdomain']));
    await until(() => open() <= before);
  });

  test('resends its datagram when it was lost', async () => {
    await using server = await startDnsServer();
    server.set('one.test', 'A', silence, one);
    const started = performance.now();
    expect((await makeResolver([server]).a('one.test')).kind).toBe('answer');
    expect(performance.now() - started).toBeWithin(450, 1_900);
  });
});

describe('a result', () => {
  test('is valid for the shortest TTL of its records and aliases', async () => {
    await using server = await startDnsServer();
    server.set('one.test', 'A', {
      records: [
        { ...a('192.0.2.1'), ttlS: 300 },
        { ...a('192.0.2.2'), ttlS: 20 },
      ],
    });
    server.set('www.test', 'A', {
      records: [
        { ...alias('two.test'), ttlS: 7 },
        { ...a('192.0.2.1', 'two.test'), ttlS: 300 },
      ],
    });
    server.set('far.test', 'A', { records: [{ ...alias('one.test'), ttlS: 3 }] });
    server.set('long.test', 'A', { records: [{ ...a('192.0.2.1'), ttlS: 0x7fff_ffff }] });
    const resolver = makeResolver([server]);
    const ttl = async (name: string) => (await resolver.a(name)) as { ttlS: number };
    expect((await ttl('one.test')).ttlS).toBe(20);
    expect((await ttl('www.test')).ttlS).toBe(7);
    expect((await ttl('far.test')).ttlS).toBe(3);
    expect((await ttl('long.test')).ttlS).toBe(7 * 24 * 3600);
  });

  test('that is negative is valid for as long as the zone says', async () => {
    await using server = await startDnsServer();
    const resolver = makeResolver([server]);
    server.set('empty.test', 'A', { soa: { ttlS: 900, minimum: 60 } });
    server.set('gone.test', 'A', { code: 3, soa: { ttlS: 30, minimum: 60 } });
    server.set('www.test', 'A', { records: [{ ...alias('gone.test'), ttlS: 5 }] });
    expect(await resolver.a('empty.test')).toEqual({ kind: 'nodata', ttlS: 60 });
    expect(await resolver.a('gone.test')).toEqual({ kind: 'nxdomain', ttlS: 30 });
    expect(await resolver.a('www.test')).toEqual({ kind: 'nxdomain', ttlS: 5 });
  });

  test('for an address has its names', async () => {
    await using server = await startDnsServer();
    const ptr = (data: string) => ({ records: [{ type: 'PTR' as const, data }] });
    server.set('7.2.0.192.in-addr.arpa', 'PTR', ptr('Mail.one.test'));
    const ip6 = '1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa';
    server.set(ip6, 'PTR', ptr('six.one.test'));
    const resolver = makeResolver([server]);
    const four = { kind: 'answer' as const, records: ['mail.one.test'], ttlS: 60 };
    expect(await resolver.ptr('192.0.2.7')).toEqual(four);

    expect(await resolver.ptr('2001:DB8::1')).toEqual({ ...four, records: ['six.one.test'] });
    expect((await resolver.ptr('192.0.2.8')).kind).toBe('nxdomain');
    for (const none of ['', 'one.test', '192.0.2', '1.2.3.4.5']) {
      expect(await resolver.ptr(none)).toEqual({ kind: 'nxdomain', ttlS: null });
    }
  });
});

describe('an alias', () => {
  test('is followed within the answer', async () => {
    await using server = await startDnsServer();
    server.set('www.test', 'A', {
      records: [alias('Two.test'), alias('three.test', 'two.test'), a('192.0.2.3', 'three.test')],
    });
    expect(await makeResolver([server]).a('www.test')).toEqual({
      kind: 'answer',
      records: ['192.0.2.3'],
      ttlS: 60,
    });
    expect(server.asked).toEqual(['A www.test udp']);
  });

  test('is looked up when the answer ends with it', async () => {
    await using server = await startDnsServer();
    server.set('www.test', 'A', { records: [alias('two.test')] });
    server.set('two.test', 'A', one);
    server.set('to-nothing.test', 'A', { records: [alias('gone.test')] });
    server.set('to-nodata.test', 'A', { records: [alias('empty.test')] });
    server.set('empty.test', 'A', nodata);
    const resolver = makeResolver([server]);
    expect(await resolver.a('www.test')).toEqual({ kind: 'answer', records: ['192.0.2.1'], ttlS: 60 });
    expect(await resolver.a('to-nothing.test')).toEqual({ kind: 'nxdomain', ttlS: null });
    expect(await resolver.a('to-nodata.test')).toEqual({ kind: 'nodata', ttlS: null });
  });

  test('in a chain of eight is followed, but not in one of nine, nor in a ring', async () => {
    await using server = await startDnsServer();
    for (const length of [8, 9]) {
      const links = Array.from({ length }, (_, at) =>
        alias(`l${at + 1}.test`, at === 0 ? `start${length}.test` : `l${at}.test`),
      );
      server.set(`start${length}.test`, 'A', { records: [...links, a('192.0.2.9', `l${length}.test`)] });
    }
    server.set('ring.test', 'A', { records: [alias('gnir.test'), alias('ring.test', 'gnir.test')] });
    server.set('self.test', 'A', { records: [alias('self.test')] });
    for (let at = 0; at < 12; at++)
      server.set(`far${at}.test`, 'A', { records: [alias(`far${at + 1}.test`)] });
    const resolver = makeResolver([server]);
    expect(await resolver.a('start8.test')).toEqual({ kind: 'answer', records: ['192.0.2.9'], ttlS: 60 });
    for (const name of ['start9.test', 'ring.test', 'self.test', 'far0.test']) {
      expect(await resolver.a(name)).toEqual({ kind: 'servfail', reason: 'more than 8 aliases' });
    }
  });

  test('ignores records of other names in the answer', async () => {
    await using server = await startDnsServer();
    server.set('one.test', 'A', { records: [a('192.0.2.66', 'other.test'), a('192.0.2.1')] });
    expect(await makeResolver([server]).a('one.test')).toEqual({
      kind: 'answer',
      records: ['192.0.2.1'],
      ttlS: 60,
    });
  });
});

describe('an answer', () => {
  test.each(['id', 'name', 'type', 'query bit', 'bytes'] as const)(
    'with the wrong %s is ignored, and the right one is waited for',
    async (wrong) => {
      await using server = await startDnsServer();
      server.set('one.test', 'A', { ...one, forged: { records: [a('192.0.2.66')], wrong } });
      expect(await makeResolver([server]).a('one.test')).toEqual({
        kind: 'answer',
        records: ['192.0.2.1'],
        ttlS: 60,
      });
    },
  );

  test('with a broken record is servfail, not half an answer', async () => {
    await using server = await startDnsServer();
    const records = [a('192.0.2.1'), a('192.0.2.2')];
    // The length of the last address: 3 instead of 4.
    const alter = (bytes: Buffer) => {
      bytes.writeUInt16BE(3, bytes.length - 6);
      return bytes;
    };
    server.set('one.test', 'A', { records, alter });
    expect((await makeResolver([server]).a('one.test')).kind).toBe('servfail');
  });

  test('with arbitrary bytes after its question is harmless', async () => {
    await using server = await startDnsServer();
    const resolver = makeResolver([server], { tryMs: 20, totalMs: 20 });
    const records = [alias('two.test'), a('192.0.2.1', 'two.test')];
    const rest = fc.uint8Array({ maxLength: 600 });
    const places = fc.array(fc.tuple(fc.nat(100), fc.nat(255)), { maxLength: 6 });
    const check = fc.asyncProperty(rest, places, fc.boolean(), async (bytes, changes, isAppended) => {
      const alter = (message: Buffer) => {
        for (const [at, value] of changes) message[2 + (at % (message.length - 2))] = value;
        return isAppended ? Buffer.concat([message, bytes]) : Buffer.concat([message.subarray(0, 26), bytes]);
      };
      server.set('one.test', 'A', { records, alter });
      const { kind } = await resolver.a('one.test');
      expect(['answer', 'nxdomain', 'nodata', 'servfail', 'refused', 'timeout']).toContain(kind);
    });
    await fc.assert(check, { numRuns: 200 });
  });

  test('that is truncated is fetched by TCP', async () => {
    await using server = await startDnsServer();
    const texts = Array.from({ length: 20 }, (_, at) => `${at}`.repeat(100).slice(0, 200));
    server.set('big.test', 'TXT', {
      isTruncated: true,
      records: texts.map((data) => ({ type: 'TXT', data })),
    });
    expect(await makeResolver([server]).txt('big.test')).toEqual({
      kind: 'answer',
      records: texts,
      ttlS: 60,
    });
  });

  test.each([
    ['silent', 'timeout'],
    ['hang up', 'servfail'],
    ['too long', 'servfail'],
  ] as const)('by TCP from a server that is %s is %s, in time', async (tcp, kind) => {
    await using server = await startDnsServer();
    server.set('one.test', 'A', { ...one, isTruncated: true, tcp });
    const started = performance.now();
    expect((await makeResolver([server], quick).a('one.test')).kind).toBe(kind);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
