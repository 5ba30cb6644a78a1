import { ptr, read } from 'bun:ffi';
import { closeSync, openSync } from 'node:fs';
import { openCLibrary } from './c-library.ts';

/*
 * Files that a process passes to its child open, over a pair of sockets (unix(7), SCM_RIGHTS), because the child is not allowed to
 * open any (confine.ts). They arrive in the order in which they were passed.
 */

/** <sys/socket.h> on Linux; the same on x86-64 and arm64. */
const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;
const MSG_NOSIGNAL = 0x4000;
const MSG_DONTWAIT = 0x40;
const MSG_CMSG_CLOEXEC = 0x40000000;
/** struct cmsghdr with one descriptor: its length, which excludes the padding, level, type, and the descriptor. */
const CONTROL_BYTES = 24;
const CONTROL_LENGTH = 20;
const AT_LEVEL = 8;
const AT_TYPE = 12;
const AT_DESCRIPTOR = 16;

/** A message of one byte and one descriptor (struct msghdr). */
class DescriptorMessage {
  readonly header = new BigUint64Array(7);
  readonly control = Buffer.alloc(CONTROL_BYTES);
  /** Kept, because the header only has their addresses. */
  private readonly content = new Uint8Array(1);
  private readonly vector = new BigUint64Array([BigInt(ptr(this.content)), 1n]);

  /** @param descriptor what to send; absent to receive one. */
  constructor(descriptor?: number) {
    if (descriptor !== undefined) {
      this.control.writeBigUInt64LE(BigInt(CONTROL_LENGTH), 0);
      this.control.writeInt32LE(SOL_SOCKET, AT_LEVEL);
      this.control.writeInt32LE(SCM_RIGHTS, AT_TYPE);
      this.control.writeInt32LE(descriptor, AT_DESCRIPTOR);
    }
    this.header[2] = BigInt(ptr(this.vector));
    this.header[3] = 1n;
    this.header[4] = BigInt(ptr(this.control));
    this.header[5] = BigInt(CONTROL_BYTES);
  }
}

const functions = {
  sendmsg: { args: ['i32', 'ptr', 'i32'], returns: 'i64' },
  recvmsg: { args: ['i32', 'ptr', 'i32'], returns: 'i64' },
} as const;

let opened: ReturnType<typeof openCLibrary<typeof functions>> | null = null;

/** Opened once: each time takes memory for good. */
function openLibc() {
  opened ??= openCLibrary(functions);
  return opened;
}

/** Opens the parent's end. Returns null, and closes the socket, on systems other than Linux, whose calls are not known here. */
export function openFilePasser(socket: number): FilePasser | null {
  try {
    return new FilePasser(socket, openLibc());
  } catch {
    closeSync(socket);
    return null;
  }
}

export class FilePasser {
  constructor(
    private readonly socket: number,
    private readonly libc: ReturnType<typeof openLibc>,
  ) {}

  /** Passes a file, for reading. Throws if it can't be opened or passed. */
  pass(path: string): void {
    const file = openSync(path, 'r');
    try {
      const message = new DescriptorMessage(file);
      const sent = this.libc.sendmsg(this.socket, ptr(message.header), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (Number(sent) !== 1) throw new Error('the system refused it');
    } finally {
      closeSync(file);
    }
  }

  close(): void {
    closeSync(this.socket);
  }
}

/** Takes the next file that was passed to this process. Returns its descriptor, which the caller closes. */
export function takeFile(socket: number): number {
  const message = new DescriptorMessage();
  const received = openLibc().recvmsg(socket, ptr(message.header), MSG_CMSG_CLOEXEC);
  // Read by address: Bun's JIT assumes that a C call leaves an array unchanged.
  const control = ptr(message.control);
  if (Number(received) !== 1 || read.i32(control, AT_TYPE) !== SCM_RIGHTS)
    throw new Error('no file was passed');
  return read.i32(control, AT_DESCRIPTOR);
}
