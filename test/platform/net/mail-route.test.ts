/** The servers that accept a domain's mail, and their order (RFC 5321 5.1). */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { makeResolver, type Resolver } from '../../../src/platform/net/dns.ts';
import { findHostAddresses, findMailRoute } from '../../../src/platform/net/mail-route.ts';
import { type DnsServer, servfail, startDnsServer } from '../../peers/dns-server.ts';

let dns: DnsServer;
let resolver: Resolver;
beforeAll(async () => {
  dns = await startDnsServer();
  resolver = makeResolver([dns]);
});
afterAll(() => dns[Symbol.asyncDispose]());

const exchangers = (domain: string, ...data: string[]) =>
  dns.set(domain, 'MX', { records: data.map((one) => ({ type: 'MX', data: one })) });
const route = (domain: string, random?: () => number) =>
  findMailRoute(resolver, domain, 'mx.own.test', random);

test('exchangers are ordered by preference, and equal ones at random', async () => {
  exchangers('many.test', '20 c.test', '10 b.test', '10 a.test', '30 d.test');
  const seen = new Set<string>();
  for (let count = 0; count < 60; count++) {
    const found = await route('many.test');
    if (found.kind === 'hosts') seen.add(found.hosts.join(' '));
  }
  expect([...seen].sort()).toEqual(['a.test b.test c.test d.test', 'b.test a.test c.test d.test']);
});

test('exchangers that are not preferred to this server are left out, and without others it is the best', async () => {
  exchangers('spare.test', '10 a.test', '20 MX.own.test', '20 b.test', '30 c.test');
  expect(await route('spare.test')).toMatchObject({ kind: 'hosts', hosts: ['a.test'] });
  exchangers('ours.test', '10 mx.own.test', '20 b.test');
  expect(await route('ours.test')).toEqual({ kind: 'ourselves' });
});

test('without an exchanger the domain itself is the server, unless it has no address or can’t be looked up', async () => {
  dns.set('bare.test', 'MX', {});
  dns.setAddresses('bare.test', '2001:db8::1');
  expect(await route('bare.test')).toEqual({ kind: 'hosts', hosts: ['bare.test'] });
  dns.set('empty.test', 'MX', {});
  expect(await route('empty.test')).toMatchObject({ kind: 'nowhere', status: '5.4.4' });
  expect(await route('unknown.test')).toMatchObject({ kind: 'nowhere', status: '5.1.2' });
  exchangers('null.test', '0 ');
  expect(await route('null.test')).toMatchObject({ kind: 'nowhere', status: '5.1.10' });
  dns.set('broken.test', 'MX', servfail);
  expect(await route('broken.test')).toMatchObject({ kind: 'unknown' });
  dns.set('half.test', 'MX', {});
  dns.set('half.test', 'A', servfail);
  expect(await route('half.test')).toMatchObject({ kind: 'unknown' });
});

test('a host is dialled at public addresses only, IPv4 first', async () => {
  dns.setAddresses('mixed.test', '10.0.0.1', '2606:4700::1', '1.1.1.1', '::1');
  expect(await findHostAddresses(resolver, 'mixed.test', [])).toEqual({
    kind: 'addresses',
    addresses: [
      { address: '1.1.1.1', family: 4 },
      { address: '2606:4700::1', family: 6 },
    ],
  });
  dns.setAddresses('inside.test', '192.168.1.5');
  expect(await findHostAddresses(resolver, 'inside.test', [])).toMatchObject({ kind: 'forbidden' });
  const home = [{ address: '192.168.0.0', prefix: 16 }];
  expect(await findHostAddresses(resolver, 'inside.test', home)).toMatchObject({ kind: 'addresses' });
  expect(await findHostAddresses(resolver, 'nothing.test', [])).toMatchObject({ kind: 'none' });
});
