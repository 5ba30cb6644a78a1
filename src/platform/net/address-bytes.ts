/** IP addresses as bytes. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Four or sixteen bytes; null if it is not an address in plain spelling, or has a zone. */
export function readAddressBytes(address: string): number[] | null {
  return isIP(address) === 0 || address.includes('%') ? null : ipaddr.parse(address).toByteArray();
}

/** The name under which the DNS keeps an address's names (PTR); empty if it is not an address. */
export function reverseName(address: string): string {
  const bytes = readAddressBytes(address) ?? [];
  if (bytes.length === 4) return `${bytes.reverse().join('.')}.in-addr.arpa`;
  const digits = bytes.flatMap((byte) => [byte >> 4, byte & 15]).reverse();
  return digits.length === 0 ? '' : `${digits.map((digit) => digit.toString(16)).join('.')}.ip6.arpa`;
}
