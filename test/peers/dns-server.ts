/** A DNS server in this process, over UDP and TCP on one loopback port. The test sets its answers. */
import { createSocket } from 'node:dgram';
import { createServer, isIPv6, type Socket } from 'node:net';
import { Packet } from 'dns2';

type Type = 'A' | 'AAAA' | 'MX' | 'TXT' | 'CNAME' | 'PTR';

interface DnsRecord {
  /** The name in the question by default. Further links of a chain have other names. */
  name?: string;
  type: Type;
  /** An address, a name, the strings of a TXT record, or `10 mx.example`. */
  data: string | string[];
  /** 60 by default. */
  ttlS?: number;
}

export interface DnsAnswer {
  records?: DnsRecord[];
  /** The response code (RFC 1035 4.1.1). */
  code?: number;
  /** The zone's SOA, in the authority section of a negative answer. */
  soa?: { ttlS: number; minimum: number };
  delay_ms?: number;
  /** Sends no answer over UDP, or over both. */
  silent?: 'udp' | 'both';
  /** Over UDP, sends only the truncation flag. */
  isTruncated?: boolean;
  /** How TCP fails. */
  tcp?: 'silent' | 'hang up' | 'too long';
  /** Changes the message in transit. */
  alter?: (bytes: Buffer) => Uint8Array;
  /** A wrong answer sent before this one. */
  forged?: { records: DnsRecord[]; wrong: 'id' | 'name' | 'type' | 'query bit' | 'bytes' };
}

export const servfail: DnsAnswer = { code: 2 };
export const refused: DnsAnswer = { code: 5 };
export const silence: DnsAnswer = { silent: 'both' };
export const nodata: DnsAnswer = {};

export interface DnsServer {
  host: string;
  port: number;
  /** Sets the answers to successive questions; the last repeats. A name without any answer is NXDOMAIN. */
  set(name: string, type: Type, ...answers: DnsAnswer[]): void;
  /** Sets all addresses of a name. */
  setAddresses(name: string, ...addresses: string[]): void;
  /** The questions in order, such as `A one.test udp`. */
  readonly asked: string[];
  [Symbol.asyncDispose](): Promise<void>;
}

type Transport = 'udp' | 'tcp';
type Send = (bytes: Uint8Array) => void;

export async function startDnsServer(host = '127.0.0.1'): Promise<DnsServer> {
  const zone = new Map<string, DnsAnswer[]>();
  const names = new Set<string>();
  const asked: string[] = [];
  const timers = new Set<Timer>();
  const take = (name: string, type: string): DnsAnswer => {
    const answers = zone.get(`${type} ${name}`) ?? [];
    const next = answers.length > 1 ? answers.shift() : answers[0];
    return next ?? (names.has(name) ? nodata : { code: 3 });
  };
  const answer = (bytes: Buffer, way: Transport, send: Send, hangUp: () => void) => {
    const query = Packet.parse(bytes);
    const [question] = query.questions;
    if (!question) return;
    const type = Packet.typeName(question.type);
    asked.push(`${type} ${question.name} ${way}`);
    const planned = take(question.name.toLowerCase(), type);
    const timer = setTimeout(() => {
      timers.delete(timer);
      reply(query, planned, way, send, hangUp);
    }, planned.delay_ms ?? 0);
    timers.add(timer);
  };
  const sockets = new Set<Socket>();
  const { port, close } = await listen(host, answer, sockets);
  const set: DnsServer['set'] = (name, type, ...answers) => {
    names.add(name);
    zone.set(`${type} ${name}`, answers);
  };
  return {
    host,
    port,
    set,
    setAddresses(name, ...addresses) {
      const records = addresses.map((data) => ({
        type: isIPv6(data) ? ('AAAA' as const) : ('A' as const),
        data,
      }));
      for (const type of ['A', 'AAAA'] as const) {
        set(name, type, { records: records.filter((record) => record.type === type) });
      }
    },
    asked,
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearTimeout(timer);
      for (const socket of sockets) socket.destroy();
      await close();
    },
  };
}

function reply(query: Packet, planned: DnsAnswer, way: Transport, send: Send, hangUp: () => void): void {
  const { silent, tcp, forged, alter = (bytes) => bytes } = planned;
  if (forged) send(forgery(query, forged));
  if (silent === 'both' || silent === way) return;
  if (way === 'udp') send(alter(message(query, planned, planned.isTruncated)));
  else if (tcp === 'hang up') hangUp();
  else if (tcp === 'too long') send(new Uint8Array(65_535));
  else if (tcp !== 'silent') send(alter(message(query, planned)));
}

function message(query: Packet, { code = 0, records = [], soa }: DnsAnswer, isTruncated = false): Buffer {
  const packet = new Packet();
  Object.assign(packet.header, {
    id: query.header.id,
    qr: 1,
    rd: 1,
    ra: 1,
    rcode: code,
    tc: isTruncated ? 1 : 0,
  });
  packet.questions = [...query.questions];
  const name = query.questions[0]?.name ?? '';
  if (!isTruncated) packet.answers = records.map((record) => resource(name, record));
  if (soa) packet.authorities = [authority(soa)];
  return packet.toBuffer();
}

function authority({ ttlS, minimum }: { ttlS: number; minimum: number }) {
  const names = { primary: 'ns.test', admin: 'hostmaster.test' };
  const times = { serial: 1, refresh: 3600, retry: 600, expiration: 86_400, minimum };
  return Object.assign(new Packet.Resource('test', Packet.TYPE.SOA, 1, ttlS), names, times);
}

function resource(asked: string, { name = asked, type, data, ttlS = 60 }: DnsRecord) {
  const record = new Packet.Resource(name, Packet.TYPE[type], 1, ttlS);
  const [first = ''] = [data].flat();
  if (type === 'TXT') return Object.assign(record, { data });
  if (type === 'CNAME' || type === 'PTR') return Object.assign(record, { domain: first });
  const [priority, exchange = ''] = first.split(' ');
  return Object.assign(record, type === 'MX' ? { priority: Number(priority), exchange } : { address: first });
}

function forgery(query: Packet, { records, wrong }: NonNullable<DnsAnswer['forged']>): Buffer {
  const bytes = message(query, { records });
  if (wrong === 'bytes') return Buffer.from('not a message of the DNS at all');
  if (wrong === 'id') bytes.writeUInt16BE(bytes.readUInt16BE(0) ^ 1, 0);
  if (wrong === 'query bit') bytes.writeUInt8(bytes.readUInt8(2) & 0x7f, 2);
  // The question begins at byte 12 with the length of its first label, then the label.
  if (wrong === 'name') bytes.writeUInt8(bytes.readUInt8(13) ^ 1, 13);
  if (wrong === 'type') bytes.writeUInt16BE(16, 12 + (query.questions[0]?.name.length ?? 0) + 2);
  return bytes;
}

/** Listens on the same port for both: TCP picks a free one, and it starts over if UDP can't have it. */
async function listen(
  host: string,
  answer: (bytes: Buffer, way: Transport, send: Send, hangUp: () => void) => void,
  sockets: Set<Socket>,
): Promise<{ port: number; close: () => Promise<void> }> {
  const tcp = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (data: Buffer) => {
      const send = (bytes: Uint8Array) => {
        socket.write(Buffer.from([bytes.length >> 8, bytes.length & 255]));
        socket.write(bytes);
      };
      answer(data.subarray(2), 'tcp', send, () => socket.destroy());
    });
  });
  await new Promise<void>((done) => tcp.listen(0, host, done));
  const { port } = tcp.address() as { port: number };
  const udp = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  udp.on('message', (bytes, { port: back, address }) =>
    answer(
      bytes,
      'udp',
      (send) => udp.send(send, back, address),
      () => {},
    ),
  );
  const isBound = await new Promise<boolean>((done) => {
    udp.once('error', () => done(false));
    udp.bind(port, host, () => done(true));
  });
  const close = () => new Promise<void>((done) => tcp.close(() => done()));
  const closeBoth = () => {
    udp.close();
    return close();
  };
  if (isBound) return { port, close: closeBoth };
  await close();
  return listen(host, answer, sockets);
}
