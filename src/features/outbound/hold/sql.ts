import { parseAddress, toInboxAddress } from '../../../platform/mail/address.ts';
import type { Reading } from '../../../platform/store/operation.ts';
import { readSending } from '../sql.ts';

/** Whether all emails of an account's members wait for an owner's approval. */
export function isAccountHeld(reading: Reading, accountNo: number): boolean {
  return readSending(reading, accountNo).hold_on === 1;
}

/**
 * Whether a member's email from this address waits for approval, because the account or the address's inbox asks for
 * it.
 */
export function isHeldFrom(reading: Reading, accountNo: number, email: string): boolean {
  if (isAccountHeld(reading, accountNo)) return true;
  const parsed = parseAddress(email);
  if (!parsed) return false;
  const row = reading
    .sql(
      `SELECT 1
       FROM inbox
       WHERE address = ? AND deleted_at IS NULL AND is_trap = 0 AND account_no = ? AND holds_outbound = 1`,
    )
    .get(toInboxAddress(parsed), accountNo);
  return row !== undefined;
}

/** Counts an account's held emails and their bytes. Tests check the plan of this statement and the next. */
export const HELD_OF_ACCOUNT = `SELECT count(*) AS emails, coalesce(sum(size), 0) AS bytes
  FROM outbound_email INDEXED BY outbound_email_status
  WHERE account_no = ? AND status = 'held'`;
export const EXPIRED_HELD = `SELECT no
  FROM outbound_email INDEXED BY outbound_email_held
  WHERE status = 'held' AND expires_at <= ?
  ORDER BY expires_at
  LIMIT ?`;

export function countHeld(reading: Reading, accountNo: number): { emails: number; bytes: number } {
  return reading.sql(HELD_OF_ACCOUNT).get(accountNo) as { emails: number; bytes: number };
}

/** Returns held emails whose time for a decision is over. */
export function listExpiredHeld(reading: Reading, nowUs: number, rows: number): number[] {
  const found = reading.sql(EXPIRED_HELD).all(nowUs, rows) as { no: number }[];
  return found.map(({ no }) => no);
}

/** Returns the account of an email that an operator names by its id. */
export function findEmailAccount(reading: Reading, id: string): number | null {
  const row = reading.sql('SELECT account_no FROM outbound_email WHERE id = ?').get(id);
  return (row as { account_no: number } | undefined)?.account_no ?? null;
}
