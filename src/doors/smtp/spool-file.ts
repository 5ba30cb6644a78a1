import { type FileHandle, open, unlink } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

/** Writes a mail to the disk in order. Pieces that collect during a write are joined for the next. */
export class SpoolFile {
  /** CRC-32 of what was written. */
  checksum = 0;
  private queued: Uint8Array[] = [];
  private unwrittenBytes = 0;
  private handle: FileHandle | null = null;
  private writing: Promise<void> = Promise.resolve();
  private isWriting = false;
  /** Nothing more is written: the file was dropped, or a write failed. */
  private isOver = false;

  /**
   * @param onGone called with the number of bytes that have left memory, written or discarded
   * @param onFault called once, if a write fails
   */
  constructor(
    readonly path: string,
    private readonly onGone: (bytes: number) => void,
    private readonly onFault: (fault: Error) => void,
  ) {}

  write(piece: Uint8Array): void {
    if (this.isOver) {
      this.onGone(piece.length);
      return;
    }
    this.queued.push(piece);
    this.unwrittenBytes += piece.length;
    if (this.isWriting) return;
    this.isWriting = true;
    this.writing = this.writeQueued();
  }

  /** Resolves when every byte is written and the file is closed. If a write failed, `onFault` was called first. */
  async end(): Promise<void> {
    await this.writing;
    await this.close();
  }

  /** Closes and removes the file. Waits for a write in progress, which might otherwise recreate it. */
  async drop(): Promise<void> {
    this.isOver = true;
    await this.writing;
    await this.close().catch(() => {});
    await unlink(this.path).catch(() => {});
  }

  private async writeQueued(): Promise<void> {
    try {
      this.handle ??= await open(this.path, 'wx', 0o600);
      while (this.queued.length > 0 && !this.isOver) {
        const pieces = joinSmall(this.queued);
        this.queued = [];
        for (const piece of pieces) {
          if (this.isOver) break;
          await writeWhole(this.handle, piece);
          this.checksum = crc32(piece, this.checksum);
          const { length } = piece;
          this.unwrittenBytes -= length;
          freeNow(piece);
          this.onGone(length);
        }
      }
    } catch (fault) {
      this.isOver = true;
      this.onFault(fault as Error);
    }
    this.isWriting = false;
    if (!this.isOver) return;
    this.queued = [];
    this.onGone(this.unwrittenBytes);
    this.unwrittenBytes = 0;
  }

  private async close(): Promise<void> {
    const { handle } = this;
    this.handle = null;
    await handle?.close();
  }
}

/** Packet-sized pieces would cost a system call each, so they are joined into copies of at most this size. */
const JOINED_BYTES = 64 * 1024;

function* joinSmall(pieces: readonly Uint8Array[]): Generator<Uint8Array> {
  let from = 0;
  while (from < pieces.length) {
    let to = from + 1;
    let bytes = pieces[from]!.length;
    while (to < pieces.length && bytes + pieces[to]!.length <= JOINED_BYTES) bytes += pieces[to++]!.length;
    yield to === from + 1 ? pieces[from]! : Buffer.concat(pieces.slice(from, to));
    from = to;
  }
}

async function writeWhole(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at);
    at += bytesWritten;
  }
}

/**
 * Frees a piece's memory immediately: the garbage collector would first let hundreds of megabytes accumulate. Works
 * only for pieces with a buffer of their own, as most from a socket have.
 */
function freeNow({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
