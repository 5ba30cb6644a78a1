/** The MTA-STS policy that is in force (RFC 8461), even with an attacker between us and the domain. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { makeResolver } from '../../../src/platform/net/dns.ts';
import { isListed, type KeptPolicy, parsePolicy, StsPolicies } from '../../../src/platform/net/mta-sts.ts';
import { cpuMs } from '../../peers/cpu-time.ts';
import { type DnsServer, startDnsServer } from '../../peers/dns-server.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { type Receiver, startReceiver, testCa } from '../../peers/https-receiver.ts';

let dns: DnsServer;
let web: Receiver;
let extraCa: string[];
const shelf = new Map<string, KeptPolicy>();
const clock = new FakeClock();
beforeAll(async () => {
  [dns, web] = await Promise.all([startDnsServer(), startReceiver({ names: ['mta-sts.far.test'] })]);
  extraCa = [(await testCa()).pem];
  dns.setAddresses('mta-sts.far.test', '127.0.0.1');
});
afterAll(() => Promise.all([dns, web].map((one) => one[Symbol.asyncDispose]())));
beforeEach(() => {
  shelf.clear();
  record('v=STSv1; id=one1;');
  web.answer({ body: policy('enforce') });
});

const policy = (mode: string, maxAge = '86400') =>
  `version: STSv1\r\nmode: ${mode}\r\nmx: mx.far.test\r\nmx: *.more.test\r\nmax_age: ${maxAge}\r\n`;

/** A response whose connection ends before its body does. */
const breakOff = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n${body}`;

function record(...texts: string[]): void {
  dns.set('_mta-sts.far.test', 'TXT', { records: texts.map((data) => ({ type: 'TXT', data: [data] })) });
}

const policies = (allow = true) =>
  new StsPolicies({
    resolver: makeResolver([dns]),
    clock,
    allow: allow ? [{ address: '127.0.0.0', prefix: 8 }] : [],
    extraCa,
    httpsPort: web.port,
    shelf: {
      get: (domain) => shelf.get(domain) ?? null,
      put: (domain, kept) => void shelf.set(domain, kept),
    },
  });

test('a policy is fetched once, kept, and fetched again when its id changes', async () => {
  const own = policies();
  const before = web.requests.length;
  for (let count = 0; count < 3; count++) {
    expect(await own.of('far.test')).toMatchObject({ mode: 'enforce', mx: ['mx.far.test', '*.more.test'] });
  }
  expect(web.requests.slice(before)).toMatchObject([
    { method: 'GET', path: '/.well-known/mta-sts.txt', servername: 'mta-sts.far.test' },
  ]);
  record('v=STSv1; id=two2;');
  web.answer({ body: policy('testing') });
  expect(await own.of('far.test')).toMatchObject({ mode: 'testing' });
  expect(web.requests.length - before).toBe(2);
});

test('a fetched policy holds until it expires, even if the record is gone or a fetch fails', async () => {
  expect(await policies().of('far.test')).toMatchObject({ mode: 'enforce' });
  record();
  expect(await policies().of('far.test')).toMatchObject({ mode: 'enforce' });
  record('v=STSv1; id=other');
  web.answer({ status: 500 });
  expect(await policies().of('far.test')).toMatchObject({ mode: 'enforce' });
  dns.set('_mta-sts.far.test', 'TXT', { code: 2 });
  expect(await policies().of('far.test')).toMatchObject({ mode: 'enforce' });
  await clock.leap(86_400_000);
  expect(await policies().of('far.test')).toBeNull();
});

test('a policy’s lifetime is bounded at both ends', async () => {
  for (const [asked, keptS] of [
    ['0', 300],
    ['31557600', 30 * 86_400],
    ['9999999999', 30 * 86_400],
  ] as const) {
    shelf.clear();
    web.answer({ body: policy('enforce', asked) });
    await policies().of('far.test');
    expect((shelf.get('far.test')!.expires_at - clock.nowUs()) / 1_000_000).toBe(keptS);
  }
});

test.each([
  ['no record', [], {}],
  ['two records', ['v=STSv1; id=a1', 'v=STSv1; id=b2'], {}],
  ['another version', ['v=STSv2; id=a1'], {}],
  ['no id', ['v=STSv1;'], {}],
  ['a redirect', ['v=STSv1; id=a1'], { status: 302, headers: { location: 'https://mta-sts.far.test/' } }],
  ['not found', ['v=STSv1; id=a1'], { status: 404 }],
  ['no policy', ['v=STSv1; id=a1'], { body: 'hello' }],
  ['an endless one', ['v=STSv1; id=a1'], { body: 'mx: x\n', how: 'endless body' as const }],
  [
    'one that breaks off',
    ['v=STSv1; id=a1'],
    { how: { raw: breakOff('version: STSv1\nmode: enforce\nmax_age: 9\nmx: mx.f') } },
  ],
  [
    'a longer one than is read',
    ['v=STSv1; id=a1'],
    { body: `${policy('enforce')}${'x: y\n'.repeat(4_000)}mx: b.test\n` },
  ],
])('%s is not a policy', async (_, records, answer) => {
  record(...records);
  web.answer(answer);
  expect(await policies().of('far.test')).toBeNull();
});

test('after a failure the host is left alone for five minutes, and a private address is never asked', async () => {
  const own = policies();
  web.answer({ status: 503 });
  const before = web.requests.length;
  await own.of('far.test');
  await own.of('far.test');
  expect(web.requests.length - before).toBe(1);
  clock.set(clock.nowUs() - 86_400_000_000);
  await clock.leap(300_001);
  web.answer({ body: policy('enforce') });
  expect(await own.of('far.test')).toMatchObject({ mode: 'enforce' });
  shelf.clear();
  const { connections } = web;
  expect(await policies(false).of('far.test')).toBeNull();
  expect(web.connections).toBe(connections);
});

test('a policy is parsed as RFC 8461 says', () => {
  expect(parsePolicy('version: STSv1\nmode: enforce\nmx: MX.Far.test.\nmax_age: 10\n')).toEqual({
    mode: 'enforce',
    mx: ['mx.far.test'],
    max_age_s: 10,
  });
  for (const wrong of [
    '',
    'mode: enforce\nmx: a.test\nmax_age: 10',
    'version: STSv1\nmode: force\nmx: a.test\nmax_age: 10',
    'version: STSv1\nmode: enforce\nmax_age: 10',
    'version: STSv1\nmode: enforce\nmx: a.test\nmax_age: -1',
    'version: STSv1\nmode: enforce\nmx: a.test',
  ]) {
    expect(parsePolicy(wrong)).toBeNull();
  }
  const listed = parsePolicy(policy('enforce'))!;
  const hosts = ['mx.far.test', 'a.more.test', 'a.b.more.test', 'more.test', 'mx.other.test', 'xmx.far.test'];
  expect(hosts.filter((host) => isListed(listed, host))).toEqual(['mx.far.test', 'a.more.test']);
});

test('a policy of blanks is parsed in linear time', () => {
  const began = cpuMs();
  for (const end of ['\r', '\u2028', 'x'])
    expect(parsePolicy(`mx:${' '.repeat(2_000)}${end} x\n${policy('enforce', ' \t9 ')}`)?.max_age_s).toBe(9);
  expect(cpuMs() - began).toBeLessThan(1_000);
});
