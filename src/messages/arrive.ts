import type { ParsedSummary } from '../mail/parsed.ts';
import type { Tx } from '../store/operation.ts';

/** A message for one inbox; its mail (raw) is stored already. */
export interface NewMessage {
  received_at: number;
  id: string;
  inbox_no: number;
  raw_no: number;
  envelope_recipient: string;
  size: number;
  /** JSON: the inbox's, as it is now. */
  metadata: string;
  summary: ParsedSummary;
}

/**
 * The time of a message that is stored now, microseconds: the clock's or, when that stands still or has stepped
 * back, the last one's +1 (decisions.md: strictly increasing, so that `since` loses and repeats nothing).
 */
export function nextReceivedAt(tx: Tx): number {
  const row = tx
    .sql('UPDATE arrival SET last_at = max(?, last_at + 1) RETURNING last_at')
    .get(tx.now_us) as { last_at: number };
  return row.last_at;
}

export function insertMessage(tx: Tx, message: NewMessage): void {
  const { summary } = message;
  tx.sql(
    `INSERT INTO message (received_at, id, inbox_no, raw_no, status, read_at, otp, otp_confidence, magic_link,
                          has_html, size, attachment_count, envelope_recipient, subject, "from", "to", cc,
                          links, metadata)
     VALUES (?, ?, ?, ?, ?, NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    message.received_at,
    message.id,
    message.inbox_no,
    message.raw_no,
    summary.status,
    summary.otp,
    summary.otp_confidence,
    summary.magic_link,
    summary.has_html ? 1 : 0,
    message.size,
    summary.attachment_count,
    message.envelope_recipient,
    summary.subject,
    summary.from,
    JSON.stringify(summary.to),
    JSON.stringify(summary.cc),
    JSON.stringify(summary.links),
    message.metadata,
  );
}
