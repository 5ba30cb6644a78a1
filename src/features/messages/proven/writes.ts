import type { Tx } from '../../../platform/store/operation.ts';
import { takeTime } from '../../events/writes.ts';

/**
 * Marks the messages of a mail whose From is authentic. Waits with `authenticated=true` find them, in the order in
 * which they are marked. Returns those that were not marked before.
 */
export function markProven(
  tx: Tx,
  rawNo: number,
): { account_no: number; inbox_no: number; envelope_recipient: string }[] {
  const rows = tx
    .sql(
      `SELECT received_at, account_no, inbox_no, envelope_recipient
       FROM message INDEXED BY message_raw
       WHERE raw_no = ? AND proven_at IS NULL
       ORDER BY received_at`,
    )
    .all(rawNo) as {
    received_at: number;
    account_no: number;
    inbox_no: number;
    envelope_recipient: string;
  }[];
  return rows.map(({ received_at, ...message }) => {
    tx.sql('UPDATE message SET proven_at = ? WHERE received_at = ?').run(takeTime(tx), received_at);
    return message;
  });
}
