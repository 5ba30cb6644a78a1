import { describe, expect, test } from 'bun:test';
import { makeResolver } from '../../../src/platform/net/dns.ts';
import { isSameAddress, judgeAddress, judgeUrl, resolveTarget } from '../../../src/platform/net/guard.ts';
import { post } from '../../../src/platform/net/post.ts';
import {
  type DnsAnswer,
  nodata,
  refused,
  servfail,
  silence,
  startDnsServer,
} from '../../peers/dns-server.ts';
import { startReceiver, testCa } from '../../peers/https-receiver.ts';

const nothing: [] = [];
const network = (text: string) => {
  const [address = '', prefix] = text.split('/');
  return { address, prefix: Number(prefix) };
};
const home = [network('192.168.1.0/24'), network('fd00::/8')];

describe('an address', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '191.255.255.255',
    '192.0.1.0',
    '192.0.3.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '203.0.112.255',
    '203.0.114.0',
    '223.255.255.255',
    '2000::',
    '2001:200::1',
    '2001:4860:4860::8888',
    '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:db9::',
    '2003::1',
    '2606:4700:4700::1111',
    '2620:4f:7fff::1',
    '2620:4f:8001::',
    '3ffe:ffff::1',
    '3fff:1000::',
  ])('%s is public', (address) => {
    expect(judgeAddress(address, nothing)).toBeNull();
  });

  test.each([
    ['0.255.255.255', 'this network'],
    ['10.0.0.0', 'private'],
    ['100.127.255.255', 'shared'],
    ['127.0.0.1', 'loopback'],
    ['169.254.169.254', 'link-local'],
    ['172.16.0.0', 'private'],
    ['192.88.99.2', '6to4'],
    ['224.0.0.0', 'multicast'],
    ['255.255.255.255', 'reserved'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::7f00:1', 'IPv4-compatible'],
    ['::ffff:8.8.8.8', 'IPv4-mapped'],
    ['64:ff9b::808:808', 'NAT64'],
    ['2001::1', 'Teredo'],
    ['2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', 'protocol assignments'],
    ['2002::1', '6to4'],
    ['3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', 'documentation'],
    ['1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'not globally routed'],
    ['4000::', 'not globally routed'],
    ['fdff::1', 'unique local'],
    ['febf::1', 'link-local'],
    ['ff0e::1', 'multicast'],
  ])('%s may not be dialled: %s', (address, what) => {
    expect(judgeAddress(address, nothing)).toContain(what);
  });

  test.each([
    '',
    'a.test',
    '127.1',
    '0x7f000001',
    '8.8.8.08',
    '8.8.8.8 ',
    '2606:4700::1%eth0',
    '[2606:4700::1]',
  ])('%p is not an address', (text) => {
    expect(judgeAddress(text, [network('0.0.0.0/0'), network('::/0')])).toContain('not an IP address');
  });

  test('of an allowed network may be dialled, and others like it may not', () => {
    for (const allowed of ['192.168.1.0', '192.168.1.255', 'fd12::1']) {
      expect(judgeAddress(allowed, home)).toBeNull();
    }
    for (const other of ['192.168.0.255', '192.168.2.0', '10.0.0.1', '127.0.0.1', 'fc00::1', '::1']) {
      expect(judgeAddress(other, home)).toContain('not public');
    }
    expect(judgeAddress('8.8.8.8', home)).toBeNull();
  });

  test.each(['::ffff:192.168.1.7', '::192.168.1.7', '64:ff9b::c0a8:107', '2002:c0a8:107::'])(
    '%s does not belong to the IPv4 network that it embeds',
    (address) => {
      expect(judgeAddress(address, home)).toContain('not public');
    },
  );

  test.each([
    ['10.128.0.0/9', '10.128.0.1', '10.127.255.255'],
    ['10.0.0.4/30', '10.0.0.7', '10.0.0.8'],
    ['10.0.0.4/32', '10.0.0.4', '10.0.0.5'],
    ['10.9.9.9/8', '10.0.0.1', '127.0.0.1'],
    ['fd00:0:0:8000::/49', 'fd00::8000:0:0:0:1', 'fd00:0:1::1'],
    ['::1/128', '::1', '::2'],
    ['fd00::/8', 'fd00::1', '253.0.0.1'],
    ['10.0.0.0/8', '10.0.0.1', 'a00::1'],
  ])('network %s has %s and not %s', (text, inside, outside) => {
    expect(judgeAddress(inside, [network(text)])).toBeNull();
    expect(judgeAddress(outside, [network(text)])).not.toBeNull();
  });
});

describe('a URL', () => {
  test.each([
    ['https://hooks.example.com/in?a=b#c', 'hooks.example.com', 443],
    ['https://HOOKS.Example.com.:8443/', 'hooks.example.com', 8443],
    ['https://bücher.example/', 'xn--bcher-kva.example', 443],
    ['https://under_score.example:1024/', 'under_score.example', 1024],
    ['https://8.8.8.8:65535/', '8.8.8.8', 65_535],
    ['https://0x8.8.2056/', '8.8.8.8', 443],
    ['https://[2606:4700:4700:0::1111]/', '2606:4700:4700::1111', 443],
    ['https:hooks.example.com', 'hooks.example.com', 443],
  ])('%s may be a target', (url, host, port) => {
    expect(judgeUrl(url, nothing)).toMatchObject({
      kind: 'candidate',
      candidate: { host, port, isTls: true },
    });
  });

  test('is refused with every reason at once', () => {
    expect(judgeUrl('https://me@127.0.0.1:22/', nothing)).toEqual({
      kind: 'refused',
      reasons: [
        'a user or password in the URL is not allowed',
        'port 22 is not allowed: use 443 or 1024 to 65535',
        '127.0.0.1 is not public: loopback (RFC 1122)',
      ],
    });
  });

  test.each([
    ['http://192.168.1.7/', true],
    ['http://192.168.1.7:80/', true],
    ['http://192.168.1.7:8080/', true],
    ['http://[fd00::7]:3000/', true],
    ['https://192.168.1.7/', true],
    ['http://192.168.1.7:22/', false],
    ['https://192.168.1.7:80/', false],
    ['http://192.168.2.7/', false],
    ['http://8.8.8.8/', false],
    ['http://[2606:4700::1]/', false],
    ['http://u:p@192.168.1.7/', false],
    ['http://localhost:3000/', false],
    ['https://app.localhost/', false],
    ['ftp://192.168.1.7/', false],
  ])('%s, while a home network is allowed, may be a target: %p', (url, isAllowed) => {
    expect(judgeUrl(url, home).kind).toBe(isAllowed ? 'candidate' : 'refused');
  });
});

describe.concurrent('a name', () => {
  const judge = async (answers: Partial<Record<'A' | 'AAAA', DnsAnswer>>, allow = home, scheme = 'https') => {
    await using dns = await startDnsServer();
    for (const [type, answer] of Object.entries(answers)) dns.set('one.test', type as 'A', answer);
    const resolver = makeResolver([dns], { tryMs: 300, totalMs: 600 });
    return await resolveTarget(resolver, `${scheme}://one.test:8443/`, allow);
  };
  const a = (...list: string[]): DnsAnswer => ({ records: list.map((data) => ({ type: 'A', data })) });
  const aaaa = (...list: string[]): DnsAnswer => ({ records: list.map((data) => ({ type: 'AAAA', data })) });

  test('with public addresses is a target: IPv4 first, at most four', async () => {
    expect(await judge({ A: a('8.8.8.8', '8.8.8.8', '9.9.9.9'), AAAA: aaaa('2620:fe::fe') })).toMatchObject({
      kind: 'target',
      target: {
        addresses: [
          { address: '8.8.8.8', family: 4 },
          { address: '9.9.9.9', family: 4 },
          { address: '2620:fe::fe', family: 6 },
        ],
      },
    });
    const many = await judge({ A: a('8.8.8.1', '8.8.8.2', '8.8.8.3', '8.8.8.4', '8.8.8.5') });
    expect(many.kind === 'target' && many.target.addresses).toHaveLength(4);
  });

  test.each<[string, Partial<Record<'A' | 'AAAA', DnsAnswer>>]>([
    ['one good, one bad', { A: a('8.8.8.8', '10.0.0.1') }],
    ['one bad, one good', { A: a('10.0.0.1', '8.8.8.8') }],
    ['the bad one far behind', { A: a(...Array.from({ length: 20 }, (_, at) => `8.8.8.${at}`), '10.0.0.1') }],
    ['good IPv4, bad IPv6', { A: a('8.8.8.8'), AAAA: aaaa('fe80::1') }],
    ['bad IPv4, good IPv6', { A: a('127.0.0.1'), AAAA: aaaa('2620:fe::fe') }],
    ['bad IPv4, no word on IPv6', { A: a('127.0.0.1'), AAAA: silence }],
    ['allowed, and of a network that is not', { A: a('192.168.1.7', '192.168.2.7') }],
  ])('with several addresses, %s, is refused', async (_, answers) => {
    expect((await judge(answers)).kind).toBe('refused');
  });

  test('in an allowed network is a target even by plain http, and a public one is not', async () => {
    expect((await judge({ A: a('192.168.1.7') })).kind).toBe('target');
    expect((await judge({ A: a('192.168.1.7') }, home, 'http')).kind).toBe('target');
    expect((await judge({ A: a('192.168.1.7'), AAAA: aaaa('fd00::7') }, home, 'http')).kind).toBe('target');
    expect((await judge({ A: a('192.168.1.7') }, [])).kind).toBe('refused');
    expect(await judge({ A: a('192.168.1.7', '8.8.8.8') }, home, 'http')).toEqual({
      kind: 'refused',
      reasons: ['8.8.8.8 may be reached by https:// only'],
    });
  });

  test.each<[string, Partial<Record<'A' | 'AAAA', DnsAnswer>>, RegExp]>([
    ['does not exist', {}, /does not exist/],
    ['has no address', { A: nodata, AAAA: nodata }, /has no address/],
    ['no server can look up', { A: servfail, AAAA: servfail }, /could not be looked up/],
    ['no server will look up', { A: refused, AAAA: refused }, /could not be looked up/],
    ['nobody answers for', { A: silence, AAAA: silence }, /no DNS server answered in time/],
    ['has no IPv4 address, and no word on IPv6', { A: nodata, AAAA: silence }, /could not be looked up/],
  ])('that %s is unreachable, not refused', async (_, answers, reason) => {
    expect(await judge(answers)).toEqual({
      kind: 'unreachable',
      reasons: [expect.stringMatching(reason)],
    });
  });

  test.each([servfail, refused, silence])('whose IPv6 look-up fails is reached by IPv4', async (failing) => {
    expect(await judge({ A: a('8.8.8.8'), AAAA: failing })).toMatchObject({
      kind: 'target',
      target: { addresses: [{ address: '8.8.8.8' }] },
    });
  });

  test('that is localhost is the loopback, whatever a DNS server says', async () => {
    await using dns = await startDnsServer();
    dns.setAddresses('localhost', '8.8.8.8');
    const resolver = makeResolver([dns]);
    const judgeLocal = (allow: string[]) =>
      resolveTarget(resolver, 'https://localhost:8443/', allow.map(network));
    expect((await judgeLocal([])).kind).toBe('refused');
    expect((await judgeLocal(['10.0.0.0/8'])).kind).toBe('refused');
    expect(await judgeLocal(['127.0.0.0/8'])).toMatchObject({
      target: { addresses: [{ address: '127.0.0.1', family: 4 }] },
    });
    expect(await judgeLocal(['::1/128'])).toMatchObject({
      target: { addresses: [{ address: '::1', family: 6 }] },
    });
    expect(dns.asked).toEqual([]);
  });

  test('that changes between look-up and connection is dialled as looked up, once', async () => {
    await using dns = await startDnsServer();
    await using first = await startReceiver();
    await using second = await startReceiver({ host: '127.0.0.2' });
    const answers = [a('127.0.0.1'), a('127.0.0.2'), a('10.0.0.1')];
    dns.set('hook.test', 'A', ...answers);
    const options = {
      headers: {},
      body: new Uint8Array(),
      allow: [network('127.0.0.0/8')],
      resolver: makeResolver([dns]),
      extraCa: [(await testCa()).pem],
    };
    const url = `https://hook.test:${first.port}/`;
    expect(await post({ ...options, url })).toMatchObject({ kind: 'answered', status: 200 });
    expect(dns.asked.filter((question) => question.startsWith('A '))).toHaveLength(1);
    expect([first.connections, second.connections]).toEqual([1, 0]);
    const url2 = `https://hook.test:${second.port}/`;
    expect(await post({ ...options, url: url2 })).toMatchObject({ kind: 'answered', status: 200 });
    expect([first.connections, second.connections]).toEqual([1, 1]);
    expect((await post({ ...options, url })).kind).toBe('refused');
    expect([first.connections, second.connections]).toEqual([1, 1]);
  });
});

test.each([
  ['203.0.113.7', '203.0.113.7', true],
  ['2001:DB8:0::7', '2001:db8::7', true],
  ['203.0.113.8', '203.0.113.7', false],
  ['127.0.0.1', '203.0.113.7', false],
  ['2001:db8::8', '2001:db8::7', false],
  ['::cb00:7107', '203.0.113.7', false],
  [undefined, '203.0.113.7', false],
])('a connection to %s is one to the checked address %s: %p', (remote, judged, isSame) => {
  expect(isSameAddress(remote, judged)).toBe(isSame);
});
