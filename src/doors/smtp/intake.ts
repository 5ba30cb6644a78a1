import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { SpooledMail } from '../../platform/mail/parsed.ts';
import type { MailData } from './mail-data.ts';
import { SpoolFile } from './spool-file.ts';
import type { Tally } from './unspooled.ts';

/** How many of the first bytes are read for the headers. */
const HEAD_BYTES = 128 * 1024;
/** Overhead of a piece in memory: a mail that arrives byte by byte must not count as small. */
const PIECE_COST_BYTES = 256;

/** A received mail. */
export interface Intake {
  raw: { bytes: Uint8Array } | SpooledMail;
  size: number;
  isTooLarge: boolean;
  /** Reads its first bytes, including the headers. */
  readHead: () => Promise<Uint8Array>;
  /** Must be called once the mail is stored or refused: frees its memory and removes its file. */
  done: () => Promise<void>;
}

/** Reads one mail to its end. Rejects when the client hangs up or the spool folder can't be written. */
export function collectMail(stream: MailData, spoolDir: string): Promise<Intake> {
  return new Promise((resolve, reject) => new MailCollector(stream, spoolDir, resolve, reject));
}

/** A mail being received: in memory, or in a file once it is large or memory is short. */
class MailCollector {
  private pieces: Buffer[] = [];
  /** Memory that `pieces` use. */
  private memoryBytes = 0;
  private size = 0;
  private spool: SpoolFile | null = null;
  private isAbandoned = false;
  private readonly tally: Tally;

  constructor(
    private readonly stream: MailData,
    private readonly spoolDir: string,
    private readonly resolve: (intake: Intake) => void,
    private readonly reject: (fault: Error) => void,
  ) {
    this.tally = stream.tally;
    this.tally.beginMail(() => this.spill());
    stream.on('data', (piece: Buffer) => this.take(piece));
    stream.on('error', (fault: Error) => this.abandon(fault));
    stream.on('end', () => void this.end().catch((fault: Error) => this.abandon(fault)));
  }

  private take(piece: Buffer): void {
    this.size += piece.length;
    if (this.isAbandoned || this.stream.sizeExceeded) {
      // Discarded: the client reads the reply only after it has sent everything.
      this.tally.remove(piece.length);
    } else if (this.spool) {
      this.spool.write(piece);
    } else {
      this.pieces.push(piece);
      this.memoryBytes += piece.length + PIECE_COST_BYTES;
      this.tally.add(PIECE_COST_BYTES);
      if (this.memoryBytes > this.tally.budget.memoryBytesOfMail) this.spill();
    }
  }

  /** Moves the mail from memory to the disk, where the rest of it goes too. */
  private spill(): void {
    if (this.spool || this.pieces.length === 0) return;
    this.spool = new SpoolFile(
      join(this.spoolDir, `${randomBytes(12).toString('hex')}.eml`),
      (bytes) => this.tally.remove(bytes),
      (fault) => this.abandon(fault),
    );
    for (const piece of this.pieces) this.spool.write(piece);
    this.tally.remove(this.pieces.length * PIECE_COST_BYTES);
    this.pieces = [];
    this.memoryBytes = 0;
  }

  private async end(): Promise<void> {
    if (this.isAbandoned) return;
    const { spool } = this;
    if (!spool) {
      const bytes = joinPieces(this.pieces);
      this.forgetPieces();
      this.finish({ bytes });
      return;
    }
    await spool.end();
    if (this.isAbandoned) return;
    // A small mail that was spilled early is parsed with the small ones.
    if (this.tally.budget.mayReadBack(this.size) && !this.stream.sizeExceeded)
      this.finish({ bytes: await readBack(spool, this.size) });
    else this.finish({ file: spool.path, checksum: spool.checksum });
  }

  private finish(raw: Intake['raw']): void {
    const { spool, size, tally } = this;
    const kept = 'bytes' in raw ? raw.bytes : null;
    const releaseComplete = tally.budget.keepComplete(kept?.length ?? 0);
    this.resolve({
      raw,
      size,
      isTooLarge: this.stream.sizeExceeded,
      readHead: async () => kept?.subarray(0, HEAD_BYTES) ?? readStart(spool!.path, HEAD_BYTES),
      done: async () => {
        releaseComplete();
        tally.endMail();
        await spool?.drop();
      },
    });
  }

  private abandon(fault: Error): void {
    if (this.isAbandoned) return;
    this.isAbandoned = true;
    this.forgetPieces();
    this.tally.endMail();
    if (!this.spool) this.reject(fault);
    else void this.spool.drop().then(() => this.reject(fault));
  }

  private forgetPieces(): void {
    this.tally.remove(this.memoryBytes);
    this.pieces = [];
    this.memoryBytes = 0;
  }
}

/** Copies the pieces, which are views into the sockets' larger buffers. */
function joinPieces(pieces: readonly Buffer[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** Reads a whole mail. Throws if the file has changed since it was written. */
async function readBack({ path, checksum }: SpoolFile, size: number): Promise<Uint8Array> {
  const bytes = await readStart(path, size);
  if (bytes.length === size && crc32(bytes) === checksum) return bytes;
  throw new Error(`the file of a mail has changed: ${bytes.length} of ${size} bytes were read`);
}

async function readStart(file: string, bytesMax: number): Promise<Uint8Array> {
  const handle = await open(file);
  try {
    const bytes = new Uint8Array(bytesMax);
    let at = 0;
    while (at < bytesMax) {
      const { bytesRead } = await handle.read(bytes, at, bytesMax - at, at);
      if (bytesRead === 0) break;
      at += bytesRead;
    }
    return bytes.subarray(0, at);
  } finally {
    await handle.close();
  }
}
