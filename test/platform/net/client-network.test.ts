/** The network of a client, for bounds that it could evade by changing its address. */
import { expect, test } from 'bun:test';
import { formatClientNetwork } from '../../../src/platform/net/client-ip.ts';

for (const [address, network] of [
  ['192.0.2.66', '192.0.2.0/24'],
  ['::ffff:192.0.2.66', '192.0.2.0/24'],
  ['127.0.0.1', '127.0.0.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['2001:db8:1::', '2001:db8:1::/48'],
  ['fe80::1%eth0', 'fe80:0:0::/48'],
  ['::1', '0:0:0::/48'],
  ['', ''],
] as const) {
  test(`${address || 'an unknown address'} belongs to ${network || 'a network of its own'}`, () => {
    expect(formatClientNetwork(address)).toBe(network);
  });
}
