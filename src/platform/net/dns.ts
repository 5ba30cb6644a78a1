/**
 * Look-ups of our own, by recursive servers; dns2 codes the messages, the sockets and time-outs are ours (its own
 * client believes an answer to another question, and waits for ever for one by TCP). node:dns is no use here: on
 * Bun it splits the strings of a TXT record, and cannot tell NXDOMAIN from NODATA. Nor is dns-packet 5.6.1: it believes
 * an address of three bytes, and one broken record in any section costs it the whole message. /etc/hosts is never
 * read, and nothing is cached.
 */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { Packet, type Resource } from 'dns2';
import type { ServerAddress } from '../core/settings.ts';
import { reverseName } from './address-bytes.ts';
import { askServer, CLASS_IN, type DnsFailure, NXDOMAIN, plainName, type Reply, silence } from './dns-ask.ts';

/**
 * What became of a look-up. Only `nxdomain` and `nodata` say that there is nothing. `ttl_s`: for how long that may be
 * believed, the shortest of the records and the aliases that led to them; of nothing, what the zone says (RFC 2308 5),
 * null when it does not.
 */
export type DnsOutcome<Data> =
  | { kind: 'answer'; records: Data[]; ttl_s: number }
  | { kind: 'nxdomain'; ttl_s: number | null }
  | { kind: 'nodata'; ttl_s: number | null }
  | DnsFailure;

/** A mail exchanger (RFC 5321 5.1); of a null MX (RFC 7505) `exchange` is empty. */
export interface Exchanger {
  exchange: string;
  priority: number;
}

/** Asks recursive servers. Never throws. */
export interface Resolver {
  a(name: string): Promise<DnsOutcome<string>>;
  aaaa(name: string): Promise<DnsOutcome<string>>;
  mx(name: string): Promise<DnsOutcome<Exchanger>>;
  /** The strings of each record joined (RFC 7208 3.3). */
  txt(name: string): Promise<DnsOutcome<string>>;
  /** The names of an IPv4 or IPv6 address (RFC 1035 3.5, RFC 3596 2.5), in lower case, without the last dot. */
  ptr(address: string): Promise<DnsOutcome<string>>;
}

export interface ResolverTimes {
  /** After which another server is asked too. */
  tryMs: number;
  /** For a look-up in all. */
  totalMs: number;
}

type Type = 'A' | 'AAAA' | 'MX' | 'TXT' | 'PTR';

interface Trail {
  owner: string;
  /** Aliases followed up to here. */
  links: number;
  records: Resource[];
  /** The shortest of the records and links up to here, seconds. */
  ttl_s: number;
}

const times: ResolverTimes = { tryMs: 1_000, totalMs: 5_000 };
/** Aliases in a row: a longer chain, or a ring, is nobody's honest zone. */
const LINKS_MAX = 8;
/** As the system's own resolver takes (resolv.conf(5), MAXNS). */
const SYSTEM_SERVERS_MAX = 3;
/** RFC 8767 4: nothing is believed for longer than a week. */
const TTL_S_MAX = 7 * 24 * 3600;

/** A resolver that asks these servers in turn, or the system's (resolv.conf as it is at the time). */
export function makeResolver(
  servers: readonly ServerAddress[] | null,
  ownTimes: Partial<ResolverTimes> = {},
): Resolver {
  const lookUp = async <Data>(
    name: string,
    type: Type,
    read: (record: Resource) => Data,
  ): Promise<DnsOutcome<Data>> => {
    const found = await find(servers ?? systemServers(), name, type, { ...times, ...ownTimes });
    return found.kind === 'answer' ? { ...found, records: found.records.map(read) } : found;
  };
  return {
    a: (name) => lookUp(name, 'A', (record) => record.address ?? ''),
    aaaa: (name) => lookUp(name, 'AAAA', (record) => record.address ?? ''),
    mx: (name) =>
      lookUp(name, 'MX', ({ exchange = '', priority = 0 }) => ({
        exchange: withoutRoot(exchange),
        priority,
      })),
    txt: (name) => lookUp(name, 'TXT', ({ data }) => (Array.isArray(data) ? data.join('') : '')),
    ptr: (address) => lookUp(reverseName(address), 'PTR', ({ domain = '' }) => withoutRoot(domain)),
  };
}

/** Asks, and asks again for what an alias points to where the server did not follow it. */
async function find(
  servers: readonly ServerAddress[],
  name: string,
  type: Type,
  { tryMs, totalMs }: ResolverTimes,
): Promise<DnsOutcome<Resource>> {
  const first = plainName(name);
  // What can't stand in a question can't be in the DNS.
  if (first === null) return { kind: 'nxdomain', ttl_s: null };
  const deadline = performance.now() + totalMs;
  let trail: Trail = { owner: first, links: 0, records: [], ttl_s: TTL_S_MAX };
  for (;;) {
    const question = { name: trail.owner, type: Packet.TYPE[type] };
    const reply = await askAll(servers, question, tryMs, deadline);
    if (reply.kind !== 'reply') return reply;
    const { links } = trail;
    trail = follow(reply.packet, question.type, trail);
    const { records, ttl_s } = trail;
    if (trail.links > LINKS_MAX) return { kind: 'servfail', reason: `more than ${LINKS_MAX} aliases` };
    if (records.length > 0) return { kind: 'answer', records, ttl_s };
    if (reply.packet.header.rcode === NXDOMAIN)
      return { kind: 'nxdomain', ttl_s: nothingFor(reply.packet, ttl_s) };
    if (trail.links === links) return { kind: 'nodata', ttl_s: nothingFor(reply.packet, ttl_s) };
  }
}

/** What the answer says of the owner, and of the names that it is an alias of. */
function follow({ answers }: Packet, type: number, { owner, links, ttl_s }: Trail): Trail {
  for (;;) {
    const own = answers.filter((record) => record.class === CLASS_IN && plainName(record.name) === owner);
    const records = own.filter((record) => record.type === type);
    if (records.length > 0)
      return { owner, links, records, ttl_s: Math.min(ttl_s, ...records.map(({ ttl }) => ttl)) };
    const alias = own.find((record) => record.type === Packet.TYPE.CNAME);
    const next = alias?.domain === undefined ? null : plainName(alias.domain);
    if (!alias || next === null || links > LINKS_MAX) return { owner, links, records, ttl_s };
    owner = next;
    links += 1;
    ttl_s = Math.min(ttl_s, alias.ttl);
  }
}

/** For how long there is nothing: the zone's SOA tells (RFC 2308 5), and the aliases on the way. */
function nothingFor({ authorities }: Packet, ttlS: number): number | null {
  const soa = authorities.find((record) => record.type === Packet.TYPE.SOA && record.class === CLASS_IN);
  return soa?.minimum === undefined ? null : Math.min(ttlS, soa.ttl, soa.minimum);
}

/**
 * The first server, and each time that one has failed, or has said nothing for `tryMs`, the next one too. The first
 * that knows is believed, though it be one that was slow. When none does, that one has failed says more than that
 * others are silent.
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
  /** Of those, from which something may still come soon. */
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

function withoutRoot(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

function systemServers(): ServerAddress[] {
  try {
    return serversIn(readFileSync('/etc/resolv.conf', 'utf8'));
  } catch {
    return serversIn('');
  }
}

/** Of a resolv.conf(5): at most three, and without any the one at home. */
export function serversIn(text: string): ServerAddress[] {
  const found = Array.from(text.matchAll(/^[ \t]*nameserver[ \t]+(\S+)/gm), ([, host = '']) => host);
  const hosts = found.filter((host) => isIP(host) !== 0).slice(0, SYSTEM_SERVERS_MAX);
  return (hosts.length > 0 ? hosts : ['127.0.0.1']).map((host) => ({ host, port: 53 }));
}
