/**
 * The bytes of composed mails: one row for a small one, and pieces for a large one, written before the email is queued.
 */
import { type AnyWriteOp, onFullDisk, type Tx, writeOp } from '../../../platform/store/operation.ts';

/** A mail's bytes, ready to be queued with their email: the bytes (zstd), or the number of their stored pieces. */
export type StoredMime = { size: number } & ({ mime: Uint8Array } | { large_no: number });

/** Begins a mail in pieces. It belongs to no email until that is queued. */
export const beginLargeOp = writeOp('outbound.begin_large', (tx, _: null): number =>
  Number(tx.sql('INSERT INTO outbound_large (outbound_no) VALUES (NULL)').run().lastInsertRowid),
);

export const appendLargeOp = writeOp(
  'outbound.append_large',
  (tx, piece: { large_no: number; part: number; bytes: Uint8Array }): void => {
    tx.sql('INSERT INTO outbound_chunk (large_no, part, bytes) VALUES (?, ?, ?)').run(
      piece.large_no,
      piece.part,
      piece.bytes,
    );
  },
);

/** Drops a mail that was begun and will not be queued. */
export const dropLargeOp = writeOp('outbound.drop_large', (tx, no: number): void => {
  tx.sql('DELETE FROM outbound_large WHERE no = ? AND outbound_no IS NULL').run(no);
});

/** Drops pieces whose email was never queued. Must run before the first email is composed. */
export const dropUnqueuedOp = writeOp('outbound.drop_unqueued', (tx, _: null): void => {
  tx.sql('DELETE FROM outbound_large WHERE outbound_no IS NULL').run();
});

export const mimeWrites: readonly AnyWriteOp[] = [
  beginLargeOp,
  appendLargeOp,
  onFullDisk(dropLargeOp),
  onFullDisk(dropUnqueuedOp),
];

/** Inserts the bytes of an email that is being queued. */
export function insertMime(tx: Tx, outboundNo: number, stored: StoredMime): void {
  if ('mime' in stored)
    tx.sql('INSERT INTO outbound_mime (outbound_no, bytes) VALUES (?, ?)').run(outboundNo, stored.mime);
  else tx.sql('UPDATE outbound_large SET outbound_no = ? WHERE no = ?').run(outboundNo, stored.large_no);
}

/** Deletes the bytes of an email. */
export function deleteMime(tx: Tx, outboundNo: number): void {
  tx.sql('DELETE FROM outbound_mime WHERE outbound_no = ?').run(outboundNo);
  tx.sql('DELETE FROM outbound_large WHERE outbound_no = ?').run(outboundNo);
}
