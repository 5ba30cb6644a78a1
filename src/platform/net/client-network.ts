import { isIP } from 'node:net';
import { countedAddress } from './client-ip.ts';

/**
 * The client's network, for limits where changing one's address is too easy: the /24 of an IPv4 address, the /48 of
 * an IPv6 address. Loopback is a network like any other.
 */
export function clientNetwork(address: string): string {
  const counted = countedAddress(address);
  if (isIP(counted) === 4) return `${counted.slice(0, counted.lastIndexOf('.'))}.0/24`;
  // countedAddress returns the /64 of an IPv6 address, group by group.
  if (counted.includes(':')) return `${counted.split(':').slice(0, 3).join(':')}::/48`;
  return counted;
}
