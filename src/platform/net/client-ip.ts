import { isIP } from 'node:net';
import type { Network } from '../core/settings.ts';

/* Client addresses, and how limits count them. Nothing is looked up. */

/** Most hops of X-Forwarded-For to read. No honest path is longer. */
const HOPS_MAX = 32;

/**
 * Returns the client's address: the socket's or, behind a trusted proxy, the last hop of X-Forwarded-For that is not a trusted
 * proxy. The client may have forged everything before that hop.
 */
export function findClientAddress(
  peer: string,
  forwardedFor: string | null,
  proxies: readonly Network[],
): string {
  let address = normalizeAddress(peer);
  if (forwardedFor === null || !isIn(address, proxies)) return address;
  const hops = forwardedFor.split(',').slice(-HOPS_MAX);
  for (const hop of hops.reverse()) {
    const next = normalizeAddress(stripPort(hop.trim()));
    if (!isIP(next)) return address;
    address = next;
    if (!isIn(address, proxies)) return address;
  }
  return address;
}

/** Headers that proxies add to a request. */
const PROXY_MARKS = ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'];

/** Whether a proxy passed the request on, so that the client may be on another machine than the socket's address says. */
export function isProxied(headers: Headers): boolean {
  return PROXY_MARKS.some((name) => headers.has(name));
}

/** Returns what limits count for an address: an IPv4 address itself, the /64 of an IPv6 address (a household has a whole one). */
export function formatCountedAddress(address: string): string {
  const plain = normalizeAddress(address);
  return isIP(plain) === 6 ? formatNetwork(plain, 64) : plain;
}

/** Returns the /48 of an IPv6 address, because one customer may hold all of its 65,536 /64 networks. Null for IPv4. */
export function formatCountedSite(address: string): string | null {
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

/** Removes a zone, and turns an IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) into IPv4. */
function normalizeAddress(address: string): string {
  const [bare = ''] = address.split('%');
  if (isIP(bare) !== 6) return bare;
  const groups = splitGroups(bare);
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (!mapped) return bare;
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** Removes a port: some proxies write `192.0.2.1:443` and `[2001:db8::1]:443`. */
function stripPort(hop: string): string {
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

/** Returns the eight groups of a valid IPv6 address. */
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
 * Returns the network of a client: the /24 of an IPv4 address, the /48 of an IPv6 one. For bounds that a client could evade by
 * changing its address. Loopback is a network like any other.
 */
export function formatClientNetwork(address: string): string {
  const counted = formatCountedAddress(address);
  if (isIP(counted) === 4) return `${counted.slice(0, counted.lastIndexOf('.'))}.0/24`;
  // formatCountedAddress writes out the groups of an IPv6 address.
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
