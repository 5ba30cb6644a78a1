/**
 * DNS look-ups through recursive servers. Nothing is cached, and /etc/hosts is not read. dns2 encodes and parses the messages; the
 * sockets and time-outs are ours, because its own client accepts the answer to another question, and waits forever for one over
 * TCP. node:dns is no alternative: on Bun it splits the strings of a TXT record, and can't tell NXDOMAIN from NODATA. Nor is
 * dns-packet 5.6.1: it accepts an address of three bytes, and one broken record in any section makes the whole message unreadable.
 */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { Packet, type Resource } from 'dns2';
import type { ServerAddress } from '../core/settings.ts';
import { formatReverseName } from './address-bytes.ts';
import {
  askServer,
  CLASS_IN,
  type DnsFailure,
  NXDOMAIN,
  normalizeName,
  type Reply,
  silence,
} from './dns-ask.ts';

/**
 * Outcome of a look-up. Only `nxdomain` and `nodata` mean that nothing exists. `ttlS` is how long it may be cached: the shortest
 * TTL of the records and their aliases; for a negative answer the zone's value (RFC 2308 5), or null without one.
 */
export type DnsOutcome<Data> =
  | { kind: 'answer'; records: Data[]; ttlS: number }
  | { kind: 'nxdomain'; ttlS: number | null }
  | { kind: 'nodata'; ttlS: number | null }
  | DnsFailure;

/** Returns why one of the look-ups got no answer; null if the DNS answered all of them. */
export function findDnsFailure(outcomes: readonly DnsOutcome<unknown>[]): string | null {
  for (const outcome of outcomes) if ('reason' in outcome) return outcome.reason;
  return null;
}

/** A mail exchanger (RFC 5321 5.1); a null MX (RFC 7505) has an empty `exchange`. */
export interface Exchanger {
  exchange: string;
  priority: number;
}

/** Asks recursive servers. Its look-ups never reject. */
export interface Resolver {
  a(name: string): Promise<DnsOutcome<string>>;
  aaaa(name: string): Promise<DnsOutcome<string>>;
  mx(name: string): Promise<DnsOutcome<Exchanger>>;
  /** Looks up TXT records; the strings of each are joined (RFC 7208 3.3). */
  txt(name: string): Promise<DnsOutcome<string>>;
  /** Looks up the names of an IPv4 or IPv6 address (PTR): lower-case, without the trailing dot. */
  ptr(address: string): Promise<DnsOutcome<string>>;
}

export interface ResolverTimes {
  /** Time after which another server is asked too. */
  tryMs: number;
  /** Time for the whole look-up. */
  totalMs: number;
}

type Type = 'A' | 'AAAA' | 'MX' | 'TXT' | 'PTR';

interface Trail {
  owner: string;
  /** Aliases followed so far. */
  links: number;
  records: Resource[];
  /** Shortest TTL of the records and aliases so far, seconds. */
  ttlS: number;
}

const times: ResolverTimes = { tryMs: 1_000, totalMs: 5_000 };
/** Most aliases (CNAME) to follow: an honest zone has no longer chain, and no loop. */
const LINKS_MAX = 8;
/** As many as the system's own resolver uses (resolv.conf(5), MAXNS). */
const SYSTEM_SERVERS_MAX = 3;
/** A week: RFC 8767 4 caps the TTL of any answer at that. */
const TTL_S_MAX = 7 * 24 * 3600;

/** Creates a resolver that asks these servers in turn; with null, those of the system (resolv.conf, read each time). */
export function makeResolver(
  servers: readonly ServerAddress[] | null,
  ownTimes: Partial<ResolverTimes> = {},
): Resolver {
  const lookUp = async <Data>(
    name: string,
    type: Type,
    read: (record: Resource) => Data,
  ): Promise<DnsOutcome<Data>> => {
    const found = await find(servers ?? readSystemServers(), name, type, { ...times, ...ownTimes });
    return found.kind === 'answer' ? { ...found, records: found.records.map(read) } : found;
  };
  return {
    a: (name) => lookUp(name, 'A', (record) => record.address ?? ''),
    aaaa: (name) => lookUp(name, 'AAAA', (record) => record.address ?? ''),
    mx: (name) =>
      lookUp(name, 'MX', ({ exchange = '', priority = 0 }) => ({
        exchange: stripRoot(exchange),
        priority,
      })),
    txt: (name) => lookUp(name, 'TXT', ({ data }) => (Array.isArray(data) ? data.join('') : '')),
    ptr: (address) => lookUp(formatReverseName(address), 'PTR', ({ domain = '' }) => stripRoot(domain)),
  };
}

/** Looks up a name. Asks again for the target of an alias if the server did not follow it. */
async function find(
  servers: readonly ServerAddress[],
  name: string,
  type: Type,
  { tryMs, totalMs }: ResolverTimes,
): Promise<DnsOutcome<Resource>> {
  const first = normalizeName(name);
  // A name that does not fit in a question can't exist.
  if (first === null) return { kind: 'nxdomain', ttlS: null };
  const deadline = performance.now() + totalMs;
  let trail: Trail = { owner: first, links: 0, records: [], ttlS: TTL_S_MAX };
  for (;;) {
    const question = { name: trail.owner, type: Packet.TYPE[type] };
    const reply = await askAll(servers, question, tryMs, deadline);
    if (reply.kind !== 'reply') return reply;
    const { links } = trail;
    trail = follow(reply.packet, question.type, trail);
    const { records, ttlS } = trail;
    if (trail.links > LINKS_MAX) return { kind: 'servfail', reason: `more than ${LINKS_MAX} aliases` };
    if (records.length > 0) return { kind: 'answer', records, ttlS };
    if (reply.packet.header.rcode === NXDOMAIN)
      return { kind: 'nxdomain', ttlS: readNegativeTtl(reply.packet, ttlS) };
    if (trail.links === links) return { kind: 'nodata', ttlS: readNegativeTtl(reply.packet, ttlS) };
  }
}

/** Follows the aliases in an answer, up to records of the type, if it has any. */
function follow({ answers }: Packet, type: number, { owner, links, ttlS }: Trail): Trail {
  for (;;) {
    const own = answers.filter((record) => record.class === CLASS_IN && normalizeName(record.name) === owner);
    const records = own.filter((record) => record.type === type);
    if (records.length > 0)
      return { owner, links, records, ttlS: Math.min(ttlS, ...records.map(({ ttl }) => ttl)) };
    const alias = own.find((record) => record.type === Packet.TYPE.CNAME);
    const next = alias?.domain === undefined ? null : normalizeName(alias.domain);
    if (!alias || next === null || links > LINKS_MAX) return { owner, links, records, ttlS };
    owner = next;
    links += 1;
    ttlS = Math.min(ttlS, alias.ttl);
  }
}

/** Returns the TTL of a negative answer: the shortest of the zone's SOA (RFC 2308 5) and of the aliases on the way. */
function readNegativeTtl({ authorities }: Packet, ttlS: number): number | null {
  const soa = authorities.find((record) => record.type === Packet.TYPE.SOA && record.class === CLASS_IN);
  return soa?.minimum === undefined ? null : Math.min(ttlS, soa.ttl, soa.minimum);
}

/**
 * Asks the first server, and the next one whenever one fails or is silent for `tryMs`. The first answer wins, even if it comes
 * from a server that was given up. Without an answer, the result is a failure that a server reported, rather than silence.
 */
function askAll(
  servers: readonly ServerAddress[],
  question: { name: string; type: number },
  tryMs: number,
  deadline: number,
): Promise<Reply> {
  const ended = Promise.withResolvers<Reply>();
  const abort = new AbortController();
  const timers: Timer[] = [];
  let failure: DnsFailure = silence;
  let asked = 0;
  let underWay = 0;
  /** Number of servers that were asked less than `tryMs` ago and may still answer. */
  let hopeful = 0;

  const end = (reply: Reply) => {
    for (const timer of timers) clearTimeout(timer);
    ended.resolve(reply);
    abort.abort();
  };
  const next = () => {
    const server = servers[asked];
    if (server) ask(server);
    else if (underWay === 0 || (hopeful === 0 && failure.kind !== 'timeout')) end(failure);
  };
  const ask = (server: ServerAddress) => {
    asked += 1;
    hopeful += 1;
    underWay += 1;
    let isHopeful = true;
    const lose = () => {
      if (!isHopeful) return;
      isHopeful = false;
      hopeful -= 1;
      next();
    };
    timers.push(setTimeout(lose, tryMs));
    const ms = Math.max(1, deadline - performance.now());
    void askServer(server, question, { ms, signal: abort.signal }).then((reply) => {
      underWay -= 1;
      if (abort.signal.aborted) return;
      if (reply.kind === 'reply') return end(reply);
      if (reply.kind !== 'timeout' || failure.kind === 'timeout') failure = reply;
      if (isHopeful) lose();
      else next();
    });
  };
  next();
  return ended.promise;
}

function stripRoot(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/** Returns the servers of this system, as resolv.conf(5) names them now. */
export function readSystemServers(): ServerAddress[] {
  try {
    return readServers(readFileSync('/etc/resolv.conf', 'utf8'));
  } catch {
    return readServers('');
  }
}

/** Returns the servers of a resolv.conf(5), at most three. Without any, the loopback. */
export function readServers(text: string): ServerAddress[] {
  const found = Array.from(text.matchAll(/^[ \t]*nameserver[ \t]+(\S+)/gm), ([, host = '']) => host);
  const hosts = found.filter((host) => isIP(host) !== 0).slice(0, SYSTEM_SERVERS_MAX);
  return (hosts.length > 0 ? hosts : ['127.0.0.1']).map((host) => ({ host, port: 53 }));
}
