/**
 * Decides which addresses may be dialled on a stranger's request, so that nobody reaches the internal network through this server
 * (SSRF). A name is looked up once, all of its addresses are checked, and only those are dialled (platform/net/post.ts): the DNS
 * can't change its answer in between.
 */
import { isIP } from 'node:net';
import type { Network } from '../core/settings.ts';
import { readAddressBytes } from './address-bytes.ts';
import { type DnsOutcome, findDnsFailure, type Resolver } from './dns.ts';
import { globalV6, specialV4, specialV6 } from './special-networks.ts';

/** A URL that passed the checks that need no look-up. */
export interface Candidate {
  url: URL;
  /** A name or an address, in lower-case ASCII, without brackets or a trailing dot. */
  host: string;
  port: number;
  isTls: boolean;
}

export interface Address {
  address: string;
  family: 4 | 6;
}

/** A URL whose addresses were checked: only these may be dialled. */
export interface Target extends Candidate {
  /** At least one, in the order to try them. */
  addresses: Address[];
}

interface Refusal {
  kind: 'refused';
  reasons: string[];
}

export type UrlJudgement = { kind: 'candidate'; candidate: Candidate } | Refusal;

export type TargetJudgement =
  | { kind: 'target'; target: Target }
  | Refusal
  /** The name has no address, or could not be looked up. This is not a refusal. */
  | { kind: 'unreachable'; reasons: string[] };

/** Every address, for servers that the operator chose: they may be in any network. */
export const anyNetwork: readonly Network[] = [
  { address: '0.0.0.0', prefix: 0 },
  { address: '::', prefix: 0 },
];

const URL_LENGTH_MAX = 2_048;
/** Of a name with many addresses, only the first are reported or tried. */
const REASONS_MAX = 8;
const ADDRESSES_MAX = 4;
const PORT_MIN = 1_024;

/** Checks a URL without a look-up: its form, scheme, port and user info, and its host if that is an address or localhost. */
export function judgeUrl(text: string, allow: readonly Network[]): UrlJudgement {
  if (text.length > URL_LENGTH_MAX) return refuse([`the URL is longer than ${URL_LENGTH_MAX} characters`]);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url) return refuse(['this is not a URL']);
  const isTls = url.protocol === 'https:';
  if (!isTls && !(url.protocol === 'http:' && allow.length > 0)) {
    return refuse(['the URL must begin with https://']);
  }
  const reasons: string[] = [];
  if (url.username !== '' || url.password !== '')
    reasons.push('a user or password in the URL is not allowed');
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  const isUsual = port === 443 || (port === 80 && !isTls);
  if (!isUsual && port < PORT_MIN)
    reasons.push(`port ${port} is not allowed: use 443 or ${PORT_MIN} to 65535`);
  const host = normalizeHost(url.hostname);
  if (host === null) return refuse([...reasons, 'the URL has no valid host name']);
  const candidate = { url, host, port, isTls };
  reasons.push(...judgeAll(findFixedAddresses(host, allow) ?? [], candidate, allow));
  return reasons.length > 0 ? refuse(reasons) : { kind: 'candidate', candidate };
}

/** Returns why an address may not be dialled; null if it is public or in an allowed network. */
export function judgeAddress(address: string, allow: readonly Network[]): string | null {
  const bytes = readAddressBytes(address);
  if (!bytes) return `${address} is not an IP address`;
  if (allow.some((network) => isWithin(bytes, network))) return null;
  const special = (bytes.length === 4 ? specialV4 : specialV6).find((network) => isWithin(bytes, network));
  if (special) return `${address} is not public: ${special.what}`;
  const isPublic = bytes.length === 4 || isWithin(bytes, globalV6);
  return isPublic ? null : `${address} is not public: not globally routed (RFC 4291)`;
}

/** Checks a URL and, with one look-up, every address of its name. */
export async function resolveTarget(
  resolver: Resolver,
  url: string,
  allow: readonly Network[],
): Promise<TargetJudgement> {
  const judged = judgeUrl(url, allow);
  if (judged.kind === 'refused') return judged;
  const { candidate } = judged;
  const fixed = findFixedAddresses(candidate.host, allow);
  if (fixed) return makeTarget(candidate, fixed);
  const outcomes = await Promise.all([resolver.a(candidate.host), resolver.aaaa(candidate.host)]);
  const addresses = outcomes.flatMap((outcome) => (outcome.kind === 'answer' ? outcome.records : []));
  if (addresses.length === 0)
    return { kind: 'unreachable', reasons: [explainNone(candidate.host, outcomes)] };
  const reasons = judgeAll(addresses, candidate, allow);
  return reasons.length > 0 ? refuse(reasons) : makeTarget(candidate, addresses);
}

function judgeAll(addresses: string[], { isTls }: Candidate, allow: readonly Network[]): string[] {
  return [...new Set(addresses)]
    .flatMap((address) => {
      const reason = judgeAddress(address, allow);
      if (reason !== null) return [reason];
      const bytes = readAddressBytes(address);
      const isPlainAllowed = isTls || (bytes !== null && allow.some((network) => isWithin(bytes, network)));
      return isPlainAllowed ? [] : [`${address} may be reached by https:// only`];
    })
    .slice(0, REASONS_MAX);
}

/**
 * Returns the addresses of a host that needs no look-up: an address, or localhost, which is the loopback whatever the DNS says
 * (RFC 6761 6.3). If only one of the two loopback addresses is in an allowed network, it returns that one.
 */
function findFixedAddresses(host: string, allow: readonly Network[]): string[] | null {
  if (isIP(host) !== 0) return [host];
  if (host !== 'localhost' && !host.endsWith('.localhost')) return null;
  const both = ['127.0.0.1', '::1'];
  const allowed = both.filter((address) => judgeAddress(address, allow) === null);
  return allowed.length > 0 ? allowed : both;
}

function makeTarget(candidate: Candidate, addresses: string[]): TargetJudgement {
  const judged = [...new Set(addresses)]
    .slice(0, ADDRESSES_MAX)
    .map((address): Address => ({ address, family: isIP(address) === 6 ? 6 : 4 }));
  return { kind: 'target', target: { ...candidate, addresses: judged } };
}

function refuse(reasons: string[]): Refusal {
  return { kind: 'refused', reasons };
}

function explainNone(host: string, outcomes: DnsOutcome<string>[]): string {
  const failure = findDnsFailure(outcomes);
  if (failure !== null) return `${host} could not be looked up: ${failure}`;
  const isUnknown = outcomes.some(({ kind }) => kind === 'nxdomain');
  return isUnknown ? `${host} does not exist` : `${host} has no address`;
}

/**
 * Returns the host as it is looked up and sent in SNI (RFC 6066 3: without a trailing dot). `new URL` has already handled percent
 * signs, IDNA and all notations of IPv4. Null for an impossible name, and for one that ends like an IPv4 address but is not one
 * (WHATWG URL, "ends in a number").
 */
function normalizeHost(hostname: string): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname.replace(/\.$/, '');
  if (isIP(bare) !== 0) return bare;
  const isName = bare.length <= 253 && /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/.test(bare);
  return isName && !/(^|\.)(\d+|0x[0-9a-f]*)$/.test(bare) ? bare : null;
}

/** The bytes of networks from tables and settings, which never change, so that each is parsed once. */
const knownBytes = new WeakMap<Network, number[]>();

function isWithin(bytes: readonly number[], network: Network): boolean {
  const known = knownBytes.get(network);
  const other = known ?? readAddressBytes(network.address);
  if (!known && other) knownBytes.set(network, other);
  if (other?.length !== bytes.length) return false;
  const whole = Math.floor(network.prefix / 8);
  for (let index = 0; index < whole; index++) if (bytes[index] !== other[index]) return false;
  const rest = 0xff & (0xff00 >> (network.prefix % 8));
  return ((bytes[whole] ?? 0) & rest) === ((other[whole] ?? 0) & rest);
}

/** Whether a socket is connected to the address that was checked. */
export function isSameAddress(remote: string | undefined, judged: string): boolean {
  const [one, other] = [readAddressBytes(remote ?? ''), readAddressBytes(judged)];
  return one !== null && one.length === other?.length && one.every((byte, index) => byte === other[index]);
}
