import { ptr, read } from 'bun:ffi';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { readCode, readReason } from '../core/thrown.ts';
import { BpfProgram, type Instruction } from '../system/bpf.ts';
import { openCLibrary } from '../system/c-library.ts';
import { formatCountedAddress } from './client-ip.ts';

/*
 * The file descriptors of this process, and the TCP connections among them. Bun.serve does not report a connection before its
 * first request, and can't close a particular one. So we ask the kernel: getsockname(2) and getpeername(2) identify a descriptor,
 * and shutdown(2) ends its connection. Bun then reads the end and closes the descriptor itself, so no number is closed twice.
 */

/** A connection accepted on one of our ports. */
export interface AcceptedConnection {
  descriptor: number;
  /** As limits count it (formatCountedAddress). */
  address: string;
  port: number;
}

/**
 * While `shut`, the kernel drops everything that belongs to no accepted connection, and the client's system tries to connect again
 * after a second. While `paused`, it lets clients connect but drops what they send, which their system repeats after 0.2 s.
 */
export type Acceptance = 'open' | 'shut' | 'paused';

export interface Descriptors {
  /** RLIMIT_NOFILE of this process. Bun raises the soft limit to the hard one when it starts. */
  readonly max: number;
  /** Number of open descriptors; 0 if the system does not report it. */
  countOpen(): number;
  /** One more than the highest number that can be in use. */
  readEnd(): number;
  /** Finds the connections accepted on this port, among the descriptors from `from` up to but excluding `to`. */
  findAccepted(port: number, from: number, to: number): AcceptedConnection[];
  /**
   * Ends the connection in both directions. Before that, it sends as much of `lastWords` as fits, unless something was sent
   * already: the client would read them as part of that response.
   */
  endConnection(descriptor: number, lastWords: Uint8Array | null): void;
  /** Finds the listening sockets of this port. */
  findListening(port: number): number[];
  /** Finds those among them that can share the port, also with other processes (SO_REUSEPORT). */
  findSharing(port: number): number[];
  /**
   * Directs all new connections to one of the sockets that share a port: the one at this place in the kernel's order. `member`
   * is any of them. Returns false if the kernel can't do that (before Linux 4.5, gVisor).
   */
  directTo(member: number, place: number, port: number): boolean;
  /** Sets how many connections may wait there to be accepted. Bun accepts all that wait in one turn. */
  setBacklog(listening: readonly number[], port: number, connections: number): void;
  /** Opens or closes the door. While it is not open, no new connection is accepted. */
  setDoor(listening: readonly number[], port: number, door: Acceptance): void;
}

/** <sys/socket.h> on Linux; the same on x86-64 and arm64. */
const AF_INET = 2;
const AF_INET6 = 10;
const SHUT_RDWR = 2;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;
const SOL_SOCKET = 1;
const SO_REUSEPORT = 15;
const SO_ATTACH_FILTER = 26;
const SO_DETACH_FILTER = 27;
const SO_ACCEPTCONN = 30;
const SO_ATTACH_REUSEPORT_CBPF = 51;
const SOCKADDR_BYTES = 28;
/** <linux/tcp.h>: struct tcp_info, with the offsets of tcpi_notsent_bytes and tcpi_data_segs_out (Linux 4.6). */
const IPPROTO_TCP = 6;
const TCP_INFO = 11;
const TCP_INFO_BYTES = 160;
const NOT_SENT_BYTES = 144;
const DATA_SEGMENTS_OUT = 156;

/**
 * Opens the C library. Without that of Linux, `onFault` is called with the reason, and the result finds nothing and can end
 * nothing.
 */
export function openDescriptors(onFault: (reason: string) => void = () => {}): Descriptors {
  const max = readMax();
  try {
    return new KernelDescriptors(max);
  } catch (fault) {
    onFault(readReason(fault));
    return {
      max,
      countOpen: () => countOpen(max),
      readEnd: () => 0,
      findAccepted: () => [],
      endConnection() {},
      findListening: () => [],
      findSharing: () => [],
      directTo: () => false,
      setBacklog() {},
      setDoor() {},
    };
  }
}

/** `ret #0`: drop. */
const DROP: readonly Instruction[] = [[0x06, 0, 0, 0]];
/** Loads the flags of the TCP header, with which the packet begins here, and accepts it if SYN is set. */
const DROP_UNLESS_SYN: readonly Instruction[] = [
  [0x30, 0, 0, 13],
  [0x45, 0, 1, 0x02],
  [0x06, 0, 0, 0xffffffff],
  [0x06, 0, 0, 0],
];
class KernelDescriptors implements Descriptors {
  private readonly libc = openLibc();
  private readonly name = new Uint8Array(SOCKADDR_BYTES);
  private readonly length = new Int32Array(1);
  private readonly namePointer = ptr(this.name);
  private readonly lengthPointer = ptr(this.length);
  private readonly info = new Uint8Array(TCP_INFO_BYTES);
  private readonly infoPointer = ptr(this.info);
  private readonly drop = new BpfProgram(DROP);
  private readonly pause = new BpfProgram(DROP_UNLESS_SYN);
  /** A program `ret #place`: the socket at that place, whatever the packet. If there is none, the kernel chooses one. */
  private readonly toPlace = new Uint32Array([6, 0]);
  private readonly chooser = new BigUint64Array([1n, BigInt(ptr(this.toPlace))]);

  constructor(readonly max: number) {}

  countOpen(): number {
    return countOpen(this.max);
  }

  readEnd(): number {
    return readEnd(this.max);
  }

  findAccepted(port: number, from: number, to: number): AcceptedConnection[] {
    const found: AcceptedConnection[] = [];
    for (let descriptor = from; descriptor < to; descriptor++) {
      if (!this.isOfPort(descriptor, port)) continue;
      this.resetLength();
      // A listening socket has no peer.
      if (this.libc.getpeername(descriptor, this.namePointer, this.lengthPointer) !== 0) continue;
      found.push({ descriptor, address: formatCountedAddress(this.readAddress()), port: this.readPort() });
    }
    return found;
  }

  endConnection(descriptor: number, lastWords: Uint8Array | null): void {
    if (lastWords && this.hasSentNothing(descriptor)) {
      this.libc.send(descriptor, ptr(lastWords), BigInt(lastWords.length), MSG_DONTWAIT | MSG_NOSIGNAL);
    }
    this.libc.shutdown(descriptor, SHUT_RDWR);
  }

  findListening(port: number): number[] {
    const found: number[] = [];
    const end = this.readEnd();
    for (let descriptor = 0; descriptor < end; descriptor++) {
      if (this.listensOn(descriptor, port)) found.push(descriptor);
    }
    return found;
  }

  findSharing(port: number): number[] {
    return this.findListening(port).filter((descriptor) => this.isSet(descriptor, SO_REUSEPORT));
  }

  directTo(member: number, place: number, port: number): boolean {
    if (!this.listensOn(member, port)) return false;
    this.toPlace[1] = place;
    const { chooser } = this;
    const option = SO_ATTACH_REUSEPORT_CBPF;
    return this.libc.setsockopt(member, SOL_SOCKET, option, ptr(chooser), chooser.byteLength) === 0;
  }

  setBacklog(listening: readonly number[], port: number, connections: number): void {
    for (const descriptor of listening) {
      if (this.listensOn(descriptor, port)) this.libc.listen(descriptor, connections);
    }
  }

  setDoor(listening: readonly number[], port: number, door: Acceptance): void {
    const option = door === 'open' ? SO_DETACH_FILTER : SO_ATTACH_FILTER;
    // Detaching ignores it, but wants one.
    const { program } = door === 'paused' ? this.pause : this.drop;
    for (const descriptor of listening) {
      if (!this.listensOn(descriptor, port)) continue;
      this.libc.setsockopt(descriptor, SOL_SOCKET, option, ptr(program), program.byteLength);
    }
  }

  private hasSentNothing(descriptor: number): boolean {
    const { infoPointer } = this;
    this.length[0] = this.info.byteLength;
    if (this.libc.getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, infoPointer, this.lengthPointer) !== 0)
      return false;
    return read.u32(infoPointer, NOT_SENT_BYTES) === 0 && read.u32(infoPointer, DATA_SEGMENTS_OUT) === 0;
  }

  /** Not cached: the number may have become another socket's in the meantime. */
  private listensOn(descriptor: number, port: number): boolean {
    return this.isOfPort(descriptor, port) && this.isSet(descriptor, SO_ACCEPTCONN);
  }

  private isOfPort(descriptor: number, port: number): boolean {
    this.resetLength();
    if (this.libc.getsockname(descriptor, this.namePointer, this.lengthPointer) !== 0) return false;
    const family = read.u16(this.namePointer, 0);
    return (family === AF_INET || family === AF_INET6) && this.readPort() === port;
  }

  private isSet(descriptor: number, option: number): boolean {
    this.length[0] = Int32Array.BYTES_PER_ELEMENT;
    const { namePointer, lengthPointer } = this;
    const status = this.libc.getsockopt(descriptor, SOL_SOCKET, option, namePointer, lengthPointer);
    return status === 0 && read.i32(namePointer, 0) === 1;
  }

  private resetLength(): void {
    this.length[0] = SOCKADDR_BYTES;
  }

  /*
   * The bytes are read only through `read`. If an array is read directly, Bun's JIT assumes that a C call leaves it unchanged
   * (measured on 1.4.5: after some thousand rounds every descriptor had the port of the first).
   */
  private readPort(): number {
    return (read.u8(this.namePointer, 2) << 8) | read.u8(this.namePointer, 3);
  }

  private readAddress(): string {
    const at = (offset: number) => read.u8(this.namePointer, offset);
    if (read.u16(this.namePointer, 0) === AF_INET) return `${at(4)}.${at(5)}.${at(6)}.${at(7)}`;
    const groups = Array.from({ length: 8 }, (_, group) => (at(8 + 2 * group) << 8) | at(9 + 2 * group));
    return groups.map((group) => group.toString(16)).join(':');
  }
}

function openLibc() {
  return openCLibrary({
    getsockname: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
    getpeername: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
    getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
    listen: { args: ['i32', 'i32'], returns: 'i32' },
    setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
    send: { args: ['i32', 'ptr', 'u64', 'i32'], returns: 'i64' },
    shutdown: { args: ['i32', 'i32'], returns: 'i32' },
  });
}

function readMax(): number {
  const found = /^Max open files +(\d+)/m.exec(readProc('/proc/self/limits'))?.[1];
  return found === undefined ? Number.POSITIVE_INFINITY : Number(found);
}

/** From Linux 6.2 on, the folder's size is their number. Before that, the folder must be read, which takes a descriptor. */
function countOpen(max: number): number {
  try {
    return statSync('/proc/self/fd').size || readdirSync('/proc/self/fd').length;
  } catch (fault) {
    return readCode(fault) === 'EMFILE' ? max : 0;
  }
}

/** The kernel's descriptor table never shrinks, so this is the highest number that was ever in use. */
function readEnd(max: number): number {
  const size = /^FDSize:\s*(\d+)/m.exec(readProc('/proc/self/status'))?.[1];
  // Without a free descriptor the folder can't be read, and all numbers are in use.
  return size !== undefined ? Number(size) : Number.isFinite(max) ? max : 0;
}

function readProc(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
