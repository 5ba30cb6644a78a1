import type { PlatformServices } from '../../../platform/services.ts';
import { appendLargeOp, beginLargeOp, dropLargeOp, type StoredMime } from './writes.ts';

/** Bytes in a piece. A mail that fits in one piece is stored as one row. */
export const MIME_PIECE_BYTES = 1024 * 1024;

/** Stores a mail while it is composed, so that a large one is never in memory as a whole. */
export async function storeMime(
  { store }: PlatformServices,
  pieces: AsyncIterable<Uint8Array>,
): Promise<StoredMime> {
  let size = 0;
  let held: Uint8Array | null = null;
  let largeNo: number | null = null;
  let part = 0;
  const append = async (bytes: Uint8Array) => {
    largeNo ??= await store.write(beginLargeOp, null);
    await store.write(appendLargeOp, { large_no: largeNo, part: part++, bytes: await compress(bytes) });
  };
  try {
    for await (const piece of pieces) {
      if (held) await append(held);
      held = piece;
      size += piece.length;
    }
    const last = held ?? new Uint8Array();
    if (largeNo === null) return { size, mime: await compress(last) };
    await append(last);
    return { size, large_no: largeNo };
  } catch (fault) {
    if (largeNo !== null) await dropMime({ store }, { size, large_no: largeNo });
    throw fault;
  }
}

/** Drops pieces whose email was not queued. If that fails, the next start drops them. */
export async function dropMime(
  { store }: Pick<PlatformServices, 'store'>,
  stored: StoredMime,
): Promise<void> {
  if ('large_no' in stored) await store.write(dropLargeOp, stored.large_no).catch(() => {});
}

function compress(bytes: Uint8Array): Promise<Buffer> {
  return Bun.zstdCompress(bytes as Uint8Array<ArrayBuffer>);
}
