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
/** More than the largest mail that a server can be set to accept, with its head. */
const FRAME_BYTES_MAX = 320 * 1024 * 1024;
const NONE = new Uint8Array();

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

/** A frame that only says that the process is alive. */
export const HEARTBEAT = encodeFrame(null);

/** Assembles frames from the pieces that arrive. */
export class FrameReader {
  private pieces: Uint8Array[] = [];
  private held = 0;
  /** Bytes that are needed for the next step: the lengths of a frame, or all of it. */
  private wanted = LENGTHS_BYTES;

  /** Returns the frames that this piece completes, oldest first. Throws for nonsense; the reader is then unusable. */
  take(piece: Uint8Array): Frame[] {
    this.pieces.push(piece);
    this.held += piece.length;
    if (this.held < this.wanted) return [];
    const frames: Frame[] = [];
    // A large frame is assembled only once, when it is complete.
    let rest = this.pieces.length === 1 ? viewBytes(piece) : Buffer.concat(this.pieces);
    while (rest.length >= LENGTHS_BYTES) {
      const length = readLength(rest);
      if (rest.length < length) break;
      frames.push(decodeFrame(rest.subarray(0, length)));
      rest = rest.subarray(length);
    }
    this.wanted = rest.length < LENGTHS_BYTES ? LENGTHS_BYTES : readLength(rest);
    this.pieces = rest.length > 0 ? [rest] : [];
    this.held = rest.length;
    return frames;
  }
}

function readLength(from: Buffer): number {
  const length = from.readUInt32LE(0);
  if (length < LENGTHS_BYTES || length > FRAME_BYTES_MAX) throw new Error(`a frame of ${length} bytes`);
  return length;
}

function decodeFrame(frame: Buffer): Frame {
  const headEnd = LENGTHS_BYTES + frame.readUInt32LE(4);
  if (headEnd > frame.length) throw new Error('a head that is longer than its frame');
  return { head: JSON.parse(frame.toString('utf8', LENGTHS_BYTES, headEnd)), bytes: frame.subarray(headEnd) };
}
