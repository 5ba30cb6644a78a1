/** IP addresses as bytes. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Returns the four or sixteen bytes of an address. Null if it is not one in its usual notation, or has a zone (`%eth0`). */
export function readAddressBytes(address: string): number[] | null {
  const family = isIP(address);
  // The library tries several notations, which takes 3 µs of every mail.
  if (family === 4) return address.split('.').map(Number);
  return family === 0 || address.includes('%') ? null : ipaddr.parse(address).toByteArray();
}

/** Returns the DNS name of an address's PTR records (RFC 1035 3.5, RFC 3596 2.5). Empty if it is not an address. */
export function formatReverseName(address: string): string {
  const bytes = readAddressBytes(address) ?? [];
  if (bytes.length === 4) return `${bytes.reverse().join('.')}.in-addr.arpa`;
  const digits = bytes.flatMap((byte) => [byte >> 4, byte & 15]).reverse();
  return digits.length === 0 ? '' : `${digits.map((digit) => digit.toString(16)).join('.')}.ip6.arpa`;
}
