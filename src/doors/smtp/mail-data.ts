import { EventEmitter } from 'node:events';
import type { ReplyName } from '../../rules/replies.ts';
import type { Tally } from './unspooled.ts';

/**
 * One mail's data on the way from smtp-server to its reader (doors/smtp/intake.ts), in place of the library's PassThrough: it
 * passes each piece on at once and buffers nothing, so the tally knows all bytes in memory. It has the properties and events of a
 * stream that the library looks at. The reader listens as soon as it gets one.
 */
export class MailData extends EventEmitter<{ data: [Buffer]; end: []; error: [Error] }> {
  /** Counted by the library. */
  byteLength = 0;
  /** Set by the library once the data is larger than the server accepts. */
  sizeExceeded = false;
  /** Whether a lone dot was on a line that begins or ends with a bare CR or LF. */
  bareDotLine = false;
  /** The reply that ended the connection in the middle of it; null if there was none. */
  cutOffBy: ReplyName | null = null;
  writable = true;
  /** False once `end` was emitted, or after an error. */
  readable = true;
  writableEnded = false;
  readableEnded = false;
  destroyed = false;
  /** Nothing waits for a reader. */
  readonly readableFlowing = true;

  /** @param tally counts its bytes until the reader releases them. */
  constructor(readonly tally: Tally) {
    super();
  }

  write(piece: Buffer): boolean {
    this.emit('data', piece);
    return true;
  }

  /** Emits `end` in the next tick, because the library is still in the middle of ending the data. */
  end(last?: Buffer): void {
    if (last) this.write(last);
    this.writable = false;
    this.writableEnded = true;
    process.nextTick(() => this.finish());
  }

  /** Called when the client is gone before the end of the data. */
  destroy(fault?: Error): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.writable = false;
    this.readable = false;
    if (fault) process.nextTick(() => this.listenerCount('error') > 0 && this.emit('error', fault));
  }

  private finish(): void {
    if (this.destroyed) return;
    this.readable = false;
    this.readableEnded = true;
    this.emit('end');
  }
}
