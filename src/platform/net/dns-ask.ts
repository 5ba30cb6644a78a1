/** Asks one DNS server one question, over UDP, or over TCP if the answer does not fit. Nothing is cached. */

import { createSocket } from 'node:dgram';
import { connect, isIP } from 'node:net';
import { Packet } from 'dns2';
import type { ServerAddress } from '../core/settings.ts';
import { readCode } from '../core/thrown.ts';

export interface DnsFailure {
  /** `refused`: the server will not answer. `servfail`: it can't, or its answer is malformed. */
  kind: 'servfail' | 'refused' | 'timeout';
  reason: string;
}

export type Reply = { kind: 'reply'; packet: Packet } | DnsFailure;

interface Question {
  name: string;
  type: number;
  id: number;
  bytes: Buffer;
}

interface Patience {
  /** How long to wait. */
  ms: number;
  /** Ends the wait, because another server has answered. */
  signal: AbortSignal;
}

/** Most bytes of an answer. TCP allows 64 KiB, but a message of that size is an attack on the reader. */
const MESSAGE_BYTES_MAX = 16 * 1024;
/** Most records of an answer, in all sections. Compressed names are small: 16 KiB can hold 800, which take 0.2 s to read. */
const RECORDS_MAX = 200;
/** Offsets of the counts in the header: answers, authorities, additional (RFC 1035 4.1.1). */
const COUNTS_AT = [6, 8, 10];
const HEADER_BYTES = 12;
/** A datagram may get lost, so it is sent again after this time. */
const RESEND_MS = 500;
export const CLASS_IN = 1;
const NOERROR = 0;
export const NXDOMAIN = 3;
const REFUSED = 5;

/** Asks one server until it answers, fails, or runs out of time. Never rejects. */
export async function askServer(
  server: ServerAddress,
  { name, type }: { name: string; type: number },
  patience: Patience,
): Promise<Reply> {
  const question = makeQuestion(name, type);
  const deadline = performance.now() + patience.ms;
  let reply = await askByUdp(server, question, patience).catch(describeUnreachable);
  // RFC 7766 5: a truncated answer is requested again over TCP.
  if (reply.kind === 'reply' && reply.packet.header.tc) {
    const ms = Math.max(1, deadline - performance.now());
    reply = await askByTcp(server, question, { ...patience, ms }).catch(describeUnreachable);
  }
  if (reply.kind !== 'reply') return reply;
  const { header, errors } = reply.packet;
  if (header.rcode !== NOERROR && header.rcode !== NXDOMAIN) {
    const kind = header.rcode === REFUSED ? 'refused' : 'servfail';
    return { kind, reason: `the DNS server answered with code ${header.rcode} (RFC 1035 4.1.1)` };
  }
  const isBroken = errors.some(({ section }) => section === 'answers');
  return isBroken ? { kind: 'servfail', reason: 'the DNS server sent a malformed answer' } : reply;
}

/** Each question has a port of its own, which accepts only that server (RFC 5452 9.2). An answer to another one is ignored. */
function askByUdp(
  { host, port }: ServerAddress,
  question: Question,
  { ms, signal }: Patience,
): Promise<Reply> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(silence);
    const socket = createSocket(isIP(host) === 6 ? 'udp6' : 'udp4');
    let isOpen = true;
    const end = (reply: Reply) => {
      if (!isOpen) return;
      isOpen = false;
      clearTimeout(timer);
      clearInterval(again);
      signal.removeEventListener('abort', stop);
      socket.close();
      resolve(reply);
    };
    const send = () => socket.send(question.bytes, (fault) => fault && end(describeUnreachable(fault)));
    let again: Timer | undefined;
    const stop = () => end(silence);
    const timer = setTimeout(stop, ms);
    signal.addEventListener('abort', stop);
    socket.on('error', (fault) => end(describeUnreachable(fault)));
    socket.on('message', (bytes) => {
      const packet = parseAnswer(question, bytes);
      if (packet) end({ kind: 'reply', packet });
    });
    socket.connect(port, host, () => {
      if (!isOpen) return;
      send();
      again = setInterval(send, RESEND_MS);
    });
  });
}

/** Over TCP, two bytes of length precede each message (RFC 1035 4.2.2). */
function askByTcp(
  { host, port }: ServerAddress,
  question: Question,
  { ms, signal }: Patience,
): Promise<Reply> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(silence);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(question.bytes.length);
    const socket = connect({ host, port });
    let got = Buffer.alloc(0);
    const end = (reply: Reply) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      socket.destroy();
      resolve(reply);
    };
    const stop = () => end(silence);
    const timer = setTimeout(stop, ms);
    signal.addEventListener('abort', stop);
    socket.on('error', (fault) => end(describeUnreachable(fault)));
    socket.on('close', () => end({ kind: 'servfail', reason: 'the DNS server hung up' }));
    socket.on('data', (piece: Buffer) => {
      got = Buffer.concat([got, piece]);
      if (got.length < 2) return;
      const size = got.readUInt16BE(0);
      if (size > MESSAGE_BYTES_MAX) end({ kind: 'servfail', reason: 'the DNS answer is too long' });
      if (size > MESSAGE_BYTES_MAX || got.length < 2 + size) return;
      const packet = parseAnswer(question, got.subarray(2, 2 + size));
      end(
        packet
          ? { kind: 'reply', packet }
          : { kind: 'servfail', reason: 'the DNS server sent a malformed answer' },
      );
    });
    socket.on('connect', () => socket.write(Buffer.concat([length, question.bytes])));
  });
}

export const silence: DnsFailure = { kind: 'timeout', reason: 'no DNS server answered in time' };

/** Nothing answers at that address. */
function describeUnreachable(fault: Error): Reply {
  return { kind: 'timeout', reason: `no DNS server can be reached (${readCode(fault) || fault.message})` };
}

function makeQuestion(name: string, type: number): Question {
  const packet = new Packet();
  const id = Packet.uuid();
  Object.assign(packet.header, { id, rd: 1 });
  packet.questions.push(new Packet.Question(name, type, CLASS_IN));
  return { name, type, id, bytes: packet.toBuffer() };
}

/** Parses a message. Null unless it answers exactly this question (RFC 5452 9.1). */
function parseAnswer(question: Question, bytes: Buffer): Packet | null {
  // The cheap checks first: most forgeries have the wrong id, and are not worth parsing.
  if (bytes.length > MESSAGE_BYTES_MAX || bytes.length < HEADER_BYTES) return null;
  if (bytes.readUInt16BE(0) !== question.id) return null;
  const records = COUNTS_AT.reduce((sum, at) => sum + bytes.readUInt16BE(at), 0);
  if (records > RECORDS_MAX) return null;
  try {
    const packet = Packet.parse(bytes);
    const [asked, ...more] = packet.questions;
    const isOurs =
      packet.header.qr === 1 &&
      more.length === 0 &&
      asked?.type === question.type &&
      asked.class === CLASS_IN &&
      normalizeName(asked.name) === question.name;
    return isOurs ? packet : null;
  } catch {
    return null;
  }
}

/** Returns a name in lower case, without a trailing dot. Null if it does not fit in the DNS (RFC 1035 2.3.4). */
export function normalizeName(name: string): string | null {
  const plain = name.toLowerCase().replace(/\.$/, '');
  return plain.length <= 253 && /^[!-\-/-~]{1,63}(\.[!-\-/-~]{1,63})*$/.test(plain) ? plain : null;
}
