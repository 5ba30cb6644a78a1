/** URLs that would lead a webhook into a private network: each is refused without a connection. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { Socket } from 'node:net';
import { makeResolver, type Resolver } from '../../../src/platform/net/dns.ts';
import { post } from '../../../src/platform/net/post.ts';
import { type DnsServer, startDnsServer } from '../../peers/dns-server.ts';
import { type Receiver, startReceiver } from '../../peers/https-receiver.ts';

/** `PORT` has a receiver on every address of this machine. */
const targets: Record<string, string[]> = {
  'the loopback': [
    'https://127.0.0.1:PORT/',
    'https://127.0.0.2:PORT/',
    'https://127.255.255.254:PORT/',
    'https://localhost:PORT/',
    'https://LOCALHOST:PORT/',
    'https://localhost.:PORT/',
    'https://foo.localhost:PORT/',
    'https://a.b.localhost.:PORT/',
    'https://0.0.0.0:PORT/',
    'https://0:PORT/',
    'https://0.0.0.1:PORT/',
    'https://[::1]:PORT/',
    'https://[::]:PORT/',
    'https://[0:0:0:0:0:0:0:1]:PORT/',
    'https://[0000:0000:0000:0000:0000:0000:0000:0001]:PORT/',
  ],
  'another spelling of it': [
    'https://127.1:PORT/',
    'https://127.0.1:PORT/',
    'https://2130706433:PORT/',
    'https://0x7f000001:PORT/',
    'https://0x7f.1:PORT/',
    'https://0X7F.0x0.0X0.0x1:PORT/',
    'https://0177.0.0.1:PORT/',
    'https://0177.0.0.01:PORT/',
    'https://017700000001:PORT/',
    'https://00000177.0x0.0.1:PORT/',
    'https://127.0.0.1.:PORT/',
    'https://127.0.0.1..:PORT/',
    'https://127.0.0.0x1:PORT/',
    'https://127.0x1:PORT/',
    'https://１２７.０.０.１:PORT/',
    'https://127。0。0。1:PORT/',
    'https://①②⑦.0.0.1:PORT/',
    'https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:PORT/',
    'https://loc\u00adalhost:PORT/',
    'https://127.0.0.1\u200b:PORT/',
    'https://%31%32%37.0.0.1:PORT/',
    'https://127%2e0%2e0%2e1:PORT/',
    'https://%6c%6f%63%61%6c%68%6f%73%74:PORT/',
    'https:127.0.0.1:PORT/',
    'https:/127.0.0.1:PORT/',
    'https:////127.0.0.1:PORT/',
    'https:\\\\127.0.0.1:PORT\\',
    ' \thttps://127.0.0.1:PORT/ ',
    'ht\ntps://127.0.\t0.1:PORT/',
    'HTTPS://127.0.0.1:PORT/',
    'https://example.com@127.0.0.1:PORT/',
    'https://example.com:x@127.0.0.1:PORT/',
    'https://127.0.0.1:PORT#@example.com/',
    'https://127.0.0.1:PORT\\@example.com/',
    'https://127.0.0.1:PORT?@example.com/',
    'https://@127.0.0.1:PORT/',
  ],
  'IPv4 that is not public': [
    'https://10.0.0.1/',
    'https://10.255.255.255/',
    'https://0xa.1/',
    'https://100.64.0.1/',
    'https://100.127.255.255/',
    'https://169.254.169.254/latest/meta-data/',
    'https://0xa9fea9fe/',
    'https://2852039166/',
    'https://0251.0376.0251.0376/',
    'https://169.254.170.2/v2/credentials',
    'https://172.16.0.1/',
    'https://172.31.255.255/',
    'https://192.0.0.1/',
    'https://192.0.0.9/',
    'https://192.0.0.192/',
    'https://192.0.2.1/',
    'https://192.31.196.1/',
    'https://192.52.193.1/',
    'https://192.88.99.1/',
    'https://192.168.0.1/',
    'https://192.168.1/',
    'https://192.175.48.1/',
    'https://198.18.0.1/',
    'https://198.19.255.255/',
    'https://198.51.100.1/',
    'https://203.0.113.1/',
    'https://224.0.0.1/',
    'https://239.255.255.255/',
    'https://240.0.0.1/',
    'https://255.255.255.255/',
    'https://4294967295/',
  ],
  'IPv6 that is not public': [
    'https://[::ffff:127.0.0.1]:PORT/',
    'https://[::ffff:7f00:1]:PORT/',
    'https://[0:0:0:0:0:FFFF:127.0.0.1]:PORT/',
    'https://[::ffff:169.254.169.254]/',
    'https://[::ffff:8.8.8.8]/',
    'https://[::ffff:0:127.0.0.1]:PORT/',
    'https://[::127.0.0.1]:PORT/',
    'https://[::7f00:1]:PORT/',
    'https://[::8.8.8.8]/',
    'https://[64:ff9b::127.0.0.1]:PORT/',
    'https://[64:ff9b::a9fe:a9fe]/',
    'https://[64:ff9b::8.8.8.8]/',
    'https://[64:ff9b:1::a00:1]/',
    'https://[100::1]/',
    'https://[100:0:0:1::1]/',
    'https://[2001::1]/',
    'https://[2001:0:7f00:1::]/',
    'https://[2001:1::1]/',
    'https://[2001:2::1]/',
    'https://[2001:10::1]/',
    'https://[2001:20::1]/',
    'https://[2001:1ff:ffff::1]/',
    'https://[2001:db8::1]/',
    'https://[2002:7f00:1::]/',
    'https://[2002:a00:1::1]/',
    'https://[2002:808:808::1]/',
    'https://[2620:4f:8000::1]/',
    'https://[3fff::1]/',
    'https://[3fff:fff:ffff::1]/',
    'https://[4000::1]/',
    'https://[5f00::1]/',
    'https://[8000::1]/',
    'https://[fc00::1]/',
    'https://[fd00:ec2::254]/',
    'https://[fe80::1]/',
    'https://[fe80::1%25lo]/',
    'https://[fe80::1%lo]/',
    'https://[fec0::1]/',
    'https://[ff02::1]/',
    'https://[::1%25lo]:PORT/',
  ],
  'a name of such an address': [
    'https://loopback.test:PORT/',
    'https://LoopBack.Test.:PORT/',
    'https://loopback6.test:PORT/',
    'https://unspecified.test:PORT/',
    'https://mapped.test:PORT/',
    'https://compatible.test:PORT/',
    'https://private.test/',
    'https://metadata.test/',
    'https://nat64.test/',
    'https://6to4.test/',
    'https://link-local6.test/',
    'https://bücher.test:PORT/',
    'https://alias.test:PORT/',
    'https://intranet:PORT/',
    'https://printer.local:PORT/',
    'https://metadata.google.internal:PORT/',
    'https://router.home.arpa:PORT/',
    'https://good-and-bad.test:PORT/',
    'https://bad-and-good.test:PORT/',
    'https://good4-bad6.test:PORT/',
    'https://bad4-good6.test:PORT/',
  ],
  'what is no public https URL': [
    'http://127.0.0.1:PORT/',
    'http://public.test:PORT/',
    'http://8.8.8.8/',
    'ftp://8.8.8.8/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:PORT/_x',
    'ws://127.0.0.1:PORT/',
    'unix:/var/run/docker.sock',
    'data:text/plain,x',
    'javascript:0',
    '//127.0.0.1:PORT/',
    '127.0.0.1:PORT',
    '/etc/passwd',
    '',
    'https://',
    'https://:PORT/',
    'https://user@public.test:PORT/',
    'https://user:password@public.test:PORT/',
    'https://:password@public.test:PORT/',
    'https://public.test:0/',
    'https://public.test:22/',
    'https://public.test:25/',
    'https://public.test:80/',
    'https://public.test:1023/',
    'https://public.test:65536/',
    'https://public.test:-1/',
    'https://a..b:PORT/',
    'https://.a:PORT/',
    'https://.:PORT/',
    'https://public.test..:PORT/',
    'https://pub,lic.test:PORT/',
    'https://*.test:PORT/',
    'https://pub lic.test:PORT/',
    'https://public.test%00.evil.test:PORT/',
    'https://1.2.3.4.5:PORT/',
    'https://256.1.1.1:PORT/',
    'https://08.8.8.8:PORT/',
    'https://0x100000000:PORT/',
    'https://public.0x7f:PORT/',
    'https://[127.0.0.1]:PORT/',
    'https://[::1:PORT/',
    'https://[1::2::3]:PORT/',
    `https://${'a'.repeat(64)}.test:PORT/`,
    `https://${'a.'.repeat(127)}test:PORT/`,
    `https://public.test:PORT/${'a'.repeat(3_000)}`,
  ],
};

let dns: DnsServer;
let resolver: Resolver;
let receiver: Receiver;
const dialled = spyOn(Socket.prototype, 'connect');

beforeAll(async () => {
  dns = await startDnsServer();
  resolver = makeResolver([dns]);
  receiver = await startReceiver({ host: '::' });
  const addresses: Record<string, string[]> = {
    'loopback.test': ['127.0.0.1'],
    'loopback6.test': ['::1'],
    'unspecified.test': ['0.0.0.0', '::'],
    'mapped.test': ['::ffff:7f00:1'],
    'compatible.test': ['::7f00:1'],
    'private.test': ['10.0.0.1'],
    'metadata.test': ['169.254.169.254'],
    'nat64.test': ['64:ff9b::7f00:1'],
    '6to4.test': ['2002:7f00:1::'],
    'link-local6.test': ['fe80::1'],
    'xn--bcher-kva.test': ['127.0.0.1'],
    intranet: ['127.0.0.1'],
    'printer.local': ['127.0.0.1'],
    'metadata.google.internal': ['169.254.169.254'],
    'router.home.arpa': ['192.168.0.1'],
    'good-and-bad.test': ['8.8.8.8', '127.0.0.1'],
    'bad-and-good.test': ['127.0.0.1', '8.8.8.8'],
    'good4-bad6.test': ['8.8.8.8', '::1'],
    'bad4-good6.test': ['127.0.0.1', '2001:4860:4860::8888'],
    'public.test': ['8.8.8.8'],
  };
  for (const [name, list] of Object.entries(addresses)) dns.setAddresses(name, ...list);
  const link = { type: 'CNAME' as const, data: 'loopback.test' };
  dns.set('alias.test', 'A', { records: [link] });
  dns.set('alias.test', 'AAAA', { records: [link] });
});

afterAll(async () => {
  dialled.mockRestore();
  await receiver[Symbol.asyncDispose]();
  await dns[Symbol.asyncDispose]();
});

const send = (url: string, allow: { address: string; prefix: number }[] = []) =>
  post({
    url: url.replace('PORT', String(receiver.port)),
    headers: {},
    body: new Uint8Array(),
    allow,
    resolver,
    extraCa: [],
  });

describe.each(Object.entries(targets))('a post to %s', (_, urls) => {
  test.each(urls.map((url) => [url]))('is refused before a connection: %j', async (url) => {
    dialled.mockClear();
    const outcome = await send(url);
    expect(outcome).toEqual({ kind: 'refused', reasons: expect.any(Array) });
    expect(outcome.kind === 'refused' && outcome.reasons.length).toBeGreaterThan(0);
    expect(dialled).not.toHaveBeenCalled();
    expect(receiver.connections).toBe(0);
  });
});

test('the list is long enough, and the witness notices connections', async () => {
  expect(Object.values(targets).flat().length).toBeGreaterThanOrEqual(180);
  dialled.mockClear();
  await send('https://loopback.test:PORT/', [{ address: '127.0.0.0', prefix: 8 }]);
  expect(dialled).toHaveBeenCalledTimes(1);
  expect(receiver.connections).toBe(1);
});
