/**
 * Messages between our processes. A frame has its own length and the length of its head (32 bits each, little-endian;
 * its own includes both), then the head in JSON, then bytes that would be expensive in JSON. It costs less than half
 * of what Bun's own messages between processes cost (measured), and the form of whatever a process receives is
 * checked here.
 */
import { viewBytes } from '../core/bytes.ts';

export interface Frame {
  head: unknown;
  /** May be empty. The bytes are part of the received memory, so copy those that you keep. */
  bytes: Uint8Array;
}

const LENGTHS_BYTES = 8;
const NONE = new Uint8Array();

/** What a reader accepts. A process that reads strangers' mail may send anything. */
export interface FrameBounds {
  /** Bytes of a head. It is parsed all at once, while nothing else is done. */
  readonly headBytes: number;
  /** Bytes that follow a head. */
  readonly bytes: number;
  /** Frames at a time. */
  readonly frames: number;
}

/** The bounds for frames of our own main process: more than the largest mail that a server can be set to accept. */
const OWN: FrameBounds = {
  headBytes: 16 * 1024 * 1024,
  bytes: 304 * 1024 * 1024,
  frames: Number.POSITIVE_INFINITY,
};

export function encodeFrame(head: object | null, bytes: Uint8Array = NONE): Uint8Array {
  const json = JSON.stringify(head);
  const headLength = Buffer.byteLength(json);
  const frame = Buffer.allocUnsafe(LENGTHS_BYTES + headLength + bytes.length);
  frame.writeUInt32LE(frame.length, 0);
  frame.writeUInt32LE(headLength, 4);
  frame.write(json, LENGTHS_BYTES);
  frame.set(bytes, LENGTHS_BYTES + headLength);
  return frame;
}

/** The length of the head of a whole frame. */
export function readHeadLength(frame: Uint8Array): number {
  return viewBytes(frame).readUInt32LE(4);
}

/** A frame without a head only says that the process is alive. */
export const HEARTBEAT = encodeFrame(null);

export function isHeartbeat({ head }: Frame): boolean {
  return head === null;
}

/** The first frame of a child process, which it sends before it has read any mail. */
export interface Greeting {
  /** Why the process could not confine itself (platform/system/confine.ts). Null if it did, or need not. */
  unconfined: string | null;
}

export function encodeGreeting({ unconfined }: Greeting): Uint8Array {
  return unconfined === null ? HEARTBEAT : encodeFrame({ unconfined });
}

export function readGreeting(frame: Frame): Greeting {
  if (isHeartbeat(frame)) return { unconfined: null };
  const { unconfined } = frame.head as Partial<Greeting>;
  if (typeof unconfined !== 'string') throw new Error('no greeting');
  return { unconfined };
}

/** Assembles frames from the pieces that arrive. */
export class FrameReader {
  /** The lengths of the frame that is incomplete. */
  private readonly lengths = Buffer.alloc(LENGTHS_BYTES);
  /** That frame, once its lengths are known. */
  private frame: Buffer | null = null;
  /** Bytes of it that have arrived. */
  private held = 0;

  constructor(private readonly bounds: FrameBounds = OWN) {}

  /**
   * Returns the frames that this piece completes, oldest first. Throws for nonsense and beyond the bounds; the reader
   * is then unusable.
   */
  take(piece: Uint8Array): Frame[] {
    const frames: Frame[] = [];
    for (let rest = viewBytes(piece); rest.length > 0; ) {
      if (frames.length >= this.bounds.frames) throw new Error(`more than ${frames.length} frames at a time`);
      const length = this.held === 0 ? this.readLength(rest) : null;
      if (length !== null && length <= rest.length) {
        frames.push(decodeFrame(rest.subarray(0, length)));
        rest = rest.subarray(length);
      } else {
        rest = this.collect(rest, frames);
      }
    }
    return frames;
  }

  /** Adds bytes to the incomplete frame, and returns the others. Tiny pieces take no more memory than large ones. */
  private collect(bytes: Buffer, frames: Frame[]): Buffer {
    const into = this.frame ?? this.lengths;
    const taken = bytes.copy(into, this.held);
    this.held += taken;
    if (this.held === into.length) {
      if (!this.frame) {
        this.frame = Buffer.allocUnsafeSlow(this.readLength(this.lengths)!);
        this.lengths.copy(this.frame);
      }
      if (this.held === this.frame.length) {
        frames.push(decodeFrame(this.frame));
        this.frame = null;
        this.held = 0;
      }
    }
    return bytes.subarray(taken);
  }

  /** Returns the length of the frame that begins here; null if its lengths are not complete. */
  private readLength(from: Buffer): number | null {
    if (from.length < LENGTHS_BYTES) return null;
    const length = from.readUInt32LE(0);
    const headLength = from.readUInt32LE(4);
    const bytes = length - LENGTHS_BYTES - headLength;
    if (bytes < 0) throw new Error(`a frame of ${length} bytes with a head of ${headLength}`);
    if (headLength > this.bounds.headBytes) throw new Error(`a frame with a head of ${headLength} bytes`);
    if (bytes > this.bounds.bytes) throw new Error(`a frame of ${length} bytes`);
    return length;
  }
}

/** Decodes a whole frame whose lengths are right. */
function decodeFrame(frame: Buffer): Frame {
  const headEnd = LENGTHS_BYTES + readHeadLength(frame);
  return { head: JSON.parse(frame.toString('utf8', LENGTHS_BYTES, headEnd)), bytes: frame.subarray(headEnd) };
}
