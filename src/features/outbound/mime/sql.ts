import { type MailPieces, toMailPieces } from '../../../platform/core/mail-pieces.ts';
import type { Reading } from '../../../platform/store/operation.ts';

/** Opens the composed bytes of an email, without its DKIM-Signature. Null once no recipient needs them. */
export function openMime(reading: Reading, outboundNo: number): MailPieces | null {
  const whole = reading.sql('SELECT bytes FROM outbound_mime WHERE outbound_no = ?').get(outboundNo) as
    | { bytes: Buffer }
    | undefined;
  if (whole) return toMailPieces(decompress(whole.bytes));
  const large = reading
    .sql(
      `SELECT l.no, e.size
       FROM outbound_large l JOIN outbound_email e ON e.no = l.outbound_no
       WHERE l.outbound_no = ?`,
    )
    .get(outboundNo) as { no: number; size: number } | undefined;
  // A composed mail is ASCII: addresses, names and bodies are encoded.
  return large
    ? { size: large.size, has8Bit: false, read: () => readChunks(reading, large.no, large.size) }
    : null;
}

function* readChunks(reading: Reading, largeNo: number, size: number): Generator<Uint8Array> {
  let left = size;
  for (let part = 0; left > 0; part++) {
    const row = reading
      .sql('SELECT bytes FROM outbound_chunk WHERE large_no = ? AND part = ?')
      .get(largeNo, part) as { bytes: Buffer } | undefined;
    if (!row) throw new Error(`${left} of ${size} bytes of an email are missing from the store`);
    const bytes = decompress(row.bytes);
    left -= bytes.length;
    yield bytes;
  }
}

function decompress(frame: Buffer): Buffer {
  return Bun.zstdDecompressSync(frame as Uint8Array<ArrayBuffer>);
}
