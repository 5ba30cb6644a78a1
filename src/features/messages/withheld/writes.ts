import type { Tx } from '../../../platform/store/operation.ts';
import type { WithheldReason } from '../../../rules/senders.ts';
import type { WithheldRow } from './sql.ts';

/** Withholds a mail from an inbox. Its bytes (raw) are stored already. */
export function insertWithheld(tx: Tx, row: Omit<WithheldRow, 'inbox_id'>): void {
  tx.sql(
    `INSERT INTO withheld (at, id, inbox_no, account_no, raw_no, reason, envelope_recipient, size, metadata, summary)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    row.at,
    row.id,
    row.inbox_no,
    row.account_no,
    row.raw_no,
    row.reason,
    row.envelope_recipient,
    row.size,
    row.metadata,
    row.summary,
  );
}

export function changeReason(tx: Tx, at: number, reason: WithheldReason): void {
  tx.sql('UPDATE withheld SET reason = ? WHERE at = ?').run(reason, at);
}

/**
 * Removes the row, but not the mail, which belongs to a message now. Returns false if it was accepted or erased
 * already.
 */
export function removeWithheld(tx: Tx, at: number): boolean {
  return tx.sql('DELETE FROM withheld WHERE at = ?').run(at).changes === 1;
}

/** Erases withheld mails for good. Stops after `msMax`, but not before the first. Returns how many it erased. */
export function eraseWithheld(
  tx: Tx,
  rows: readonly Pick<WithheldRow, 'at' | 'raw_no'>[],
  msMax = Number.POSITIVE_INFINITY,
): number {
  const beganMs = performance.now();
  for (const [index, { at, raw_no }] of rows.entries()) {
    if (index > 0 && performance.now() - beganMs > msMax) return index;
    tx.sql('DELETE FROM withheld WHERE at = ?').run(at);
    tx.sql('UPDATE raw SET refs = refs - 1 WHERE no = ?').run(raw_no);
    tx.sql('DELETE FROM raw WHERE no = ? AND refs <= 0').run(raw_no);
  }
  return rows.length;
}

/** The oldest withheld mails of an inbox from before a time. */
export function listErasable(tx: Tx, inboxNo: number, before: number, max: number) {
  return tx
    .sql('SELECT at, raw_no FROM withheld WHERE inbox_no = ? AND at < ? ORDER BY at LIMIT ?')
    .all(inboxNo, before, max) as Pick<WithheldRow, 'at' | 'raw_no'>[];
}

/** The oldest withheld mails of all inboxes. */
export function listOldest(tx: Tx, max: number) {
  return tx.sql('SELECT at, raw_no FROM withheld ORDER BY at LIMIT ?').all(max) as Pick<
    WithheldRow,
    'at' | 'raw_no'
  >[];
}
