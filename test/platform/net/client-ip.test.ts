import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { findClientAddress, formatCountedAddress, isIn } from '../../../src/platform/net/client-ip.ts';

const proxies = [
  { address: '10.0.0.0', prefix: 8 },
  { address: '2001:db8:aaaa::', prefix: 48 },
];

describe('the client behind proxies', () => {
  test.each([
    ['a peer that is no proxy is the client, whatever it says', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['a proxy alone is the client', '10.0.0.1', null, '10.0.0.1'],
    ['the last hop that is no proxy', '10.0.0.1', '6.6.6.6, 198.51.100.1', '198.51.100.1'],
    ['proxies behind proxies are passed over', '10.0.0.1', '6.6.6.6, 198.51.100.1, 10.9.9.9', '198.51.100.1'],
    ['when all hops are proxies, the first', '10.0.0.1', '10.1.1.1, 10.2.2.2', '10.1.1.1'],
    ['what is no address ends the search', '10.0.0.1', '198.51.100.1, unknown', '10.0.0.1'],
    ['an empty header says nothing', '10.0.0.1', '', '10.0.0.1'],
    ['ports are dropped', '10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['brackets too', '10.0.0.1', '[2001:db8::1]:443', '2001:db8::1'],
    ['a mapped peer is its IPv4 address', '::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['a mapped hop too', '10.0.0.1', '::ffff:c633:6401', '198.51.100.1'],
    ['IPv6 proxies', '2001:db8:aaaa:1::1', '2001:db8:bbbb::1', '2001:db8:bbbb::1'],
  ])('is found by its rule: %s', (_, peer, header, client) => {
    expect(findClientAddress(peer, header, proxies)).toBe(client);
  });

  test('is the peer where no proxy is trusted', () => {
    expect(findClientAddress('10.0.0.1', '198.51.100.1', [])).toBe('10.0.0.1');
  });

  test('is an address whatever the header says', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        expect(findClientAddress('10.0.0.1', header, proxies)).toMatch(/^[0-9a-f.:]+$/i);
      }),
    );
  });
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['2001:DB8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
])('the address %s counts as %s', (address, counted) => expect(formatCountedAddress(address)).toBe(counted));

test.each(['10.255.0.1', '::ffff:10.0.0.1', '2001:db8:aaaa:ffff::'])('%s is in the networks', (address) =>
  expect(isIn(address, proxies)).toBe(true),
);

test.each(['11.0.0.1', '2001:db8:aaab::', '', '10.0.0'])('%j is outside the networks', (address) =>
  expect(isIn(address, proxies)).toBe(false),
);

test('the widest and the narrowest network are matched', () => {
  expect(isIn('203.0.113.1', [{ address: '0.0.0.0', prefix: 0 }])).toBe(true);
  expect(isIn('::1', [{ address: '0.0.0.0', prefix: 0 }])).toBe(false);
  expect(isIn('192.0.2.1', [{ address: '192.0.2.1', prefix: 32 }])).toBe(true);
  expect(isIn('192.0.2.2', [{ address: '192.0.2.1', prefix: 32 }])).toBe(false);
});
