import { randomBytes } from 'node:crypto';
import { createWriteStream, type WriteStream } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { RawSource } from '../mail/parsed.ts';
import type { DataStream } from './data-feed.ts';

/**
 * Bytes of a message kept in memory; a larger one goes on in a file of the spool folder, so that many large
 * transfers at the same time cost disk and not memory.
 */
const MEMORY_BYTES_MAX = 256 * 1024;
/** What the headers are looked at in. */
const HEAD_BYTES = 128 * 1024;

/** A message as it came. `done` must be called when it is stored or refused: it removes the file. */
export interface Intake {
  raw: RawSource;
  size: number;
  head: Uint8Array;
  too_large: boolean;
  done: () => Promise<void>;
}

/** Reads one message to its end. Rejects when the client goes away, or the spool folder can't be written. */
export function takeIn(stream: DataStream, spool_dir: string): Promise<Intake> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let spool: WriteStream | undefined;
    const file = join(spool_dir, `${randomBytes(12).toString('hex')}.eml`);
    const drop = async () => {
      if (spool) await unlink(file).catch(() => {});
    };
    let failed = false;
    const abandon = (fault: Error) => {
      if (failed) return;
      failed = true;
      // What still comes is read and forgotten: the client hears the reply when it has sent all of it.
      stream.resume();
      if (!spool) return reject(fault);
      // Not before it is closed: one that is being opened would be there again.
      spool.once('close', () => void drop().then(() => reject(fault)));
      spool.destroy();
    };

    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (failed || stream.sizeExceeded) return;
      if (!spool) {
        chunks.push(chunk);
        if (size <= MEMORY_BYTES_MAX) return;
        spool = createWriteStream(file, { mode: 0o600 }).on('error', abandon);
        for (const kept of chunks) spool.write(kept);
        return;
      }
      if (spool.write(chunk)) return;
      stream.pause();
      spool.once('drain', () => stream.resume());
    });
    stream.on('error', abandon);
    stream.on('end', () => {
      if (failed) return;
      const too_large = stream.sizeExceeded;
      const bytes = gather(chunks, spool ? HEAD_BYTES : size);
      const head = bytes.subarray(0, HEAD_BYTES);
      if (!spool) return resolve({ raw: { bytes }, size, head, too_large, done: drop });
      // `finish` comes only when every byte is written; a callback of end() would come after a fault too.
      spool.once('finish', () => resolve({ raw: { file }, size, head, too_large, done: drop }));
      spool.end();
    });
  });
}

/** A copy with memory of its own: the chunks are views into larger buffers of the sockets. */
function gather(chunks: readonly Buffer[], bytes_max: number): Uint8Array {
  const total = Math.min(
    bytes_max,
    chunks.reduce((sum, chunk) => sum + chunk.length, 0),
  );
  const bytes = new Uint8Array(total);
  let at = 0;
  for (const chunk of chunks) {
    if (at >= total) break;
    bytes.set(chunk.subarray(0, total - at), at);
    at += chunk.length;
  }
  return bytes;
}
