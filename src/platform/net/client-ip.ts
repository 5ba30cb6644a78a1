import { isIP } from 'node:net';
import type { Network } from '../core/settings.ts';

/* The client's address, as limits count it. Pure: no look-ups. */

/** Hops of X-Forwarded-For that are read: no honest path is longer. */
const HOPS_MAX = 32;

/**
 * The client's address: the socket's, or, behind a trusted proxy, the last hop of X-Forwarded-For that is not a
 * trusted proxy. The client may have forged everything before that hop.
 */
export function clientAddress(
  peer: string,
  forwardedFor: string | null,
  proxies: readonly Network[],
): string {
  let address = normalizeAddress(peer);
  if (forwardedFor === null || !isIn(address, proxies)) return address;
  const hops = forwardedFor.split(',').slice(-HOPS_MAX);
  for (const hop of hops.reverse()) {
    const next = normalizeAddress(withoutPort(hop.trim()));
    if (!isIP(next)) return address;
    address = next;
    if (!isIn(address, proxies)) return address;
  }
  return address;
}

/** As limits count it: an IPv4 address, or the /64 of an IPv6 address, since one household has a whole /64. */
export function countedAddress(address: string): string {
  const plain = normalizeAddress(address);
  return isIP(plain) === 6 ? formatNetwork(plain, 64) : plain;
}

/** The /48 of an IPv6 address: one customer may hold all of its 65,536 /64 networks. Null for IPv4. */
export function countedSite(address: string): string | null {
  const plain = normalizeAddress(address);
  return isIP(plain) === 6 ? formatNetwork(plain, 48) : null;
}

function formatNetwork(address: string, prefix: 48 | 64): string {
  const groups = splitGroups(address).slice(0, prefix / 16);
  return `${groups.map((group) => group.toString(16)).join(':')}::/${prefix}`;
}

/** Whether an address is in one of the networks. */
export function isIn(address: string, networks: readonly Network[]): boolean {
  const bits = readBits(normalizeAddress(address));
  return (
    bits !== null &&
    networks.some((network) => {
      const other = readBits(network.address);
      return (
        other !== null && other.length === bits.length && other.startsWith(bits.slice(0, network.prefix))
      );
    })
  );
}

/** Without a zone; an IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) becomes IPv4. */
function normalizeAddress(address: string): string {
  const [bare = ''] = address.split('%');
  if (isIP(bare) !== 6) return bare;
  const groups = splitGroups(bare);
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (!mapped) return bare;
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** Proxies also write `192.0.2.1:443` and `[2001:db8::1]:443`. */
function withoutPort(hop: string): string {
  const bracketed = /^\[([^\]]+)\](:\d+)?$/.exec(hop);
  if (bracketed?.[1]) return bracketed[1];
  return /^[\d.]+:\d+$/.test(hop) ? hop.slice(0, hop.indexOf(':')) : hop;
}

function readBits(address: string): string | null {
  const kind = isIP(address);
  if (kind === 0) return null;
  const [numbers, width] = kind === 4 ? [address.split('.').map(Number), 8] : [splitGroups(address), 16];
  return numbers.map((number) => number.toString(2).padStart(width, '0')).join('');
}

/** The eight groups of a valid IPv6 address. */
function splitGroups(address: string): number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const text = dotted
    ? `${dotted[1]}${formatHexPair(dotted[2], dotted[3])}:${formatHexPair(dotted[4], dotted[5])}`
    : address;
  const [left = '', right] = text.split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  const gap = right === undefined ? [] : Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...gap, ...tail].map((group) => Number.parseInt(group, 16));
}

function formatHexPair(high: string | undefined, low: string | undefined): string {
  return (Number(high) * 256 + Number(low)).toString(16);
}

/**
 * The network that a client counts as where one address is too easily changed for another: the /24 of an IPv4
 * address, the /48 of an IPv6 one. Loopback is a network like any other.
 */
export function clientNetwork(address: string): string {
  const counted = countedAddress(address);
  if (isIP(counted) === 4) return `${counted.slice(0, counted.lastIndexOf('.'))}.0/24`;
  // countedAddress gives the /64 of an IPv6 address, group by group.
  if (counted.includes(':')) return `${counted.split(':').slice(0, 3).join(':')}::/48`;
  return counted;
}

export const LOOPBACK: readonly Network[] = [
  { address: '127.0.0.0', prefix: 8 },
  { address: '::1', prefix: 128 },
];

export function isLoopback(address: string): boolean {
  return isIn(address, LOOPBACK);
}
