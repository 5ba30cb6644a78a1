/**
 * Look-ups of our own, by recursive servers; dns2 codes the messages, the sockets and time-outs are ours (its own
 * client believes an answer to another question, and waits for ever for one by TCP). node:dns is no use here: on
 * Bun it splits the strings of a TXT record, and cannot tell NXDOMAIN from NODATA. /etc/hosts is never read, and
 * nothing is cached.
 */
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { connect, isIP } from 'node:net';
import { Packet, type Resource } from 'dns2';
import type { ServerAddress } from '../core/settings.ts';
import { reverseName } from './guard.ts';

/** What became of a look-up. Only `nxdomain` and `nodata` say that there is nothing. */
export type DnsOutcome<Data> =
  | { kind: 'answer'; records: Data[] }
  | { kind: 'nxdomain' }
  | { kind: 'nodata' }
  | DnsFailure;

/** `refused` is a server that will not answer, `servfail` one that cannot, or answers with nonsense. */
interface DnsFailure {
  kind: 'servfail' | 'refused' | 'timeout';
  reason: string;
}

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
  /** The names that an IP address stands for (RFC 1035 3.5, RFC 3596 2.5), lower case. */
  ptr(address: string): Promise<DnsOutcome<string>>;
}

export interface ResolverTimes {
  /** For one question to one server. */
  try_ms: number;
  /** For a look-up in all. */
  total_ms: number;
}

type Type = 'A' | 'AAAA' | 'MX' | 'TXT' | 'PTR';
type Reply = { kind: 'reply'; packet: Packet } | (DnsFailure & { is_gone?: true });

interface Question {
  name: string;
  type: number;
  id: number;
  bytes: Buffer;
}

interface Trail {
  owner: string;
  /** Aliases followed up to here. */
  links: number;
  records: Resource[];
}

const times: ResolverTimes = { try_ms: 2_000, total_ms: 5_000 };
/** Aliases in a row: a longer chain, or a ring, is nobody's honest zone. */
const LINKS_MAX = 8;
/** Bytes of an answer. The most that TCP carries is 64 KiB; of that size a message is an attack on its reader. */
const MESSAGE_BYTES_MAX = 16 * 1024;
/** As the system's own resolver takes (resolv.conf(5), MAXNS). */
const SYSTEM_SERVERS_MAX = 3;
/** A datagram may get lost: the same is sent again while its server has time. */
const RESEND_MS = 500;
const CLASS_IN = 1;
const NOERROR = 0;
const NXDOMAIN = 3;
const REFUSED = 5;

/** A resolver that asks these servers in turn, or the system's (resolv.conf as it is at the time). */
export function makeResolver(
  servers: readonly ServerAddress[] | null,
  own_times: Partial<ResolverTimes> = {},
): Resolver {
  const lookUp = async <Data>(
    name: string,
    type: Type,
    read: (record: Resource) => Data,
  ): Promise<DnsOutcome<Data>> => {
    const found = await find(servers ?? systemServers(), name, type, { ...times, ...own_times });
    return found.kind === 'answer' ? { kind: 'answer', records: found.records.map(read) } : found;
  };
  return {
    a: (name) => lookUp(name, 'A', (record) => record.address ?? ''),
    aaaa: (name) => lookUp(name, 'AAAA', (record) => record.address ?? ''),
    mx: (name) =>
      lookUp(name, 'MX', ({ exchange = '', priority = 0 }) => ({
        exchange: exchange.toLowerCase(),
        priority,
      })),
    txt: (name) => lookUp(name, 'TXT', ({ data }) => (Array.isArray(data) ? data.join('') : '')),
    ptr: (address) =>
      lookUp(reverseName(address), 'PTR', ({ domain = '' }) => domain.toLowerCase().replace(/\.$/, '')),
  };
}

/** Asks, and asks again for what an alias points to where the server did not follow it. */
async function find(
  servers: readonly ServerAddress[],
  name: string,
  type: Type,
  { try_ms, total_ms }: ResolverTimes,
): Promise<DnsOutcome<Resource>> {
  const first = plainName(name);
  // What can't stand in a question can't be in the DNS.
  if (first === null) return { kind: 'nxdomain' };
  const deadline = performance.now() + total_ms;
  let trail: Trail = { owner: first, links: 0, records: [] };
  for (;;) {
    const reply = await askInTurn(servers, trail.owner, Packet.TYPE[type], try_ms, deadline);
    if (reply.kind !== 'reply') return { kind: reply.kind, reason: reply.reason };
    const { links } = trail;
    trail = follow(reply.packet, Packet.TYPE[type], trail);
    if (trail.links > LINKS_MAX) return { kind: 'servfail', reason: `more than ${LINKS_MAX} aliases` };
    if (trail.records.length > 0) return { kind: 'answer', records: trail.records };
    if (reply.packet.header.rcode === NXDOMAIN) return { kind: 'nxdomain' };
    if (trail.links === links) return { kind: 'nodata' };
  }
}

/** What the answer says of the owner, and of the names that it is an alias of. */
function follow({ answers }: Packet, type: number, { owner, links }: Trail): Trail {
  for (;;) {
    const own = answers.filter((record) => record.class === CLASS_IN && plainName(record.name) === owner);
    const records = own.filter((record) => record.type === type);
    const alias = own.find((record) => record.type === Packet.TYPE.CNAME)?.domain;
    const next = alias === undefined ? null : plainName(alias);
    if (records.length > 0 || next === null || links > LINKS_MAX) return { owner, links, records };
    owner = next;
    links += 1;
  }
}

/** One server after the other; those that were silent again, while there is time. */
async function askInTurn(
  servers: readonly ServerAddress[],
  name: string,
  type: number,
  try_ms: number,
  deadline: number,
): Promise<Reply> {
  let failure: DnsFailure = { kind: 'timeout', reason: 'no DNS server answered in time' };
  const waiting = [...servers];
  for (let server = waiting.shift(); server; server = waiting.shift()) {
    const left_ms = deadline - performance.now();
    if (left_ms <= 0) break;
    const reply = await askOne(server, questionFor(name, type), Math.min(try_ms, left_ms));
    if (reply.kind === 'reply') return reply;
    // That a server has failed says more than that another is silent.
    if (reply.kind !== 'timeout' || failure.kind === 'timeout') failure = reply;
    if (reply.kind === 'timeout' && !reply.is_gone && failure.kind === 'timeout') waiting.push(server);
  }
  return failure;
}

async function askOne(server: ServerAddress, question: Question, ms: number): Promise<Reply> {
  const deadline = performance.now() + ms;
  let reply = await askByUdp(server, question, ms).catch(gone);
  // RFC 7766 5: what does not fit is asked for again by TCP.
  if (reply.kind === 'reply' && reply.packet.header.tc) {
    reply = await askByTcp(server, question, Math.max(1, deadline - performance.now())).catch(gone);
  }
  if (reply.kind !== 'reply') return reply;
  const { header, errors } = reply.packet;
  if (header.rcode !== NOERROR && header.rcode !== NXDOMAIN) {
    const kind = header.rcode === REFUSED ? 'refused' : 'servfail';
    return { kind, reason: `the DNS server answered with code ${header.rcode} (RFC 1035 4.1.1)` };
  }
  const is_broken = errors.some(({ section }) => section === 'answers');
  return is_broken ? { kind: 'servfail', reason: 'the DNS server answered with nonsense' } : reply;
}

/** From a port of its own, that only the server may write to (RFC 5452 9.2); what does not match is a forger's. */
function askByUdp({ host, port }: ServerAddress, question: Question, ms: number): Promise<Reply> {
  return new Promise((resolve) => {
    const socket = createSocket(isIP(host) === 6 ? 'udp6' : 'udp4');
    let is_open = true;
    const end = (reply: Reply) => {
      if (!is_open) return;
      is_open = false;
      clearTimeout(timer);
      clearInterval(again);
      socket.close();
      resolve(reply);
    };
    const send = () => socket.send(question.bytes, (fault) => fault && end(gone(fault)));
    let again: Timer | undefined;
    const timer = setTimeout(() => end(silence), ms);
    socket.on('error', (fault) => end(gone(fault)));
    socket.on('message', (bytes) => {
      const packet = answerTo(question, bytes);
      if (packet) end({ kind: 'reply', packet });
    });
    socket.connect(port, host, () => {
      if (!is_open) return;
      send();
      again = setInterval(send, RESEND_MS);
    });
  });
}

/** A message of two bytes of length, and itself (RFC 1035 4.2.2). */
function askByTcp({ host, port }: ServerAddress, question: Question, ms: number): Promise<Reply> {
  return new Promise((resolve) => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(question.bytes.length);
    const socket = connect({ host, port });
    let got = Buffer.alloc(0);
    const end = (reply: Reply) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(reply);
    };
    const timer = setTimeout(() => end(silence), ms);
    socket.on('error', (fault) => end(gone(fault)));
    socket.on('close', () => end({ kind: 'servfail', reason: 'the DNS server hung up' }));
    socket.on('data', (piece: Buffer) => {
      got = Buffer.concat([got, piece]);
      if (got.length < 2) return;
      const size = got.readUInt16BE(0);
      if (size > MESSAGE_BYTES_MAX) end({ kind: 'servfail', reason: 'the answer of the DNS is too long' });
      if (size > MESSAGE_BYTES_MAX || got.length < 2 + size) return;
      const packet = answerTo(question, got.subarray(2, 2 + size));
      end(
        packet
          ? { kind: 'reply', packet }
          : { kind: 'servfail', reason: 'the DNS server answered with nonsense' },
      );
    });
    socket.on('connect', () => socket.write(Buffer.concat([length, question.bytes])));
  });
}

const silence: Reply = { kind: 'timeout', reason: 'no DNS server answered in time' };

/** Nobody is there: asking again at once is of no use. */
function gone(fault: Error): Reply {
  const code = (fault as NodeJS.ErrnoException).code ?? fault.message;
  return { kind: 'timeout', reason: `no DNS server can be reached (${code})`, is_gone: true };
}

function questionFor(name: string, type: number): Question {
  const packet = new Packet();
  const id = Packet.uuid();
  Object.assign(packet.header, { id, rd: 1 });
  packet.questions.push(new Packet.Question(name, type, CLASS_IN));
  return { name, type, id, bytes: packet.toBuffer() };
}

/** The message, if it is an answer to the very question (RFC 5452 9.1). */
function answerTo(question: Question, bytes: Buffer): Packet | null {
  // The id before all else: what a forger sends blindly is not worth reading.
  if (bytes.length > MESSAGE_BYTES_MAX || bytes.length < 2) return null;
  if (bytes.readUInt16BE(0) !== question.id) return null;
  try {
    const packet = Packet.parse(bytes);
    const [asked, ...more] = packet.questions;
    const is_ours =
      packet.header.qr === 1 &&
      more.length === 0 &&
      asked?.type === question.type &&
      asked.class === CLASS_IN &&
      plainName(asked.name) === question.name;
    return is_ours ? packet : null;
  } catch {
    return null;
  }
}

/** In lower case, without the dot of the root; null when the DNS can't hold it (RFC 1035 2.3.4). */
function plainName(name: string): string | null {
  const plain = name.toLowerCase().replace(/\.$/, '');
  return plain.length <= 253 && /^[!-\-/-~]{1,63}(\.[!-\-/-~]{1,63})*$/.test(plain) ? plain : null;
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
