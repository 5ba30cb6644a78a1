import type { Reading } from '../../../platform/store/operation.ts';

/** An address that an account may send to while its allowlist is on. */
export interface ApprovedRecipient {
  no: number;
  id: string;
  /** Lower case. */
  email: string;
  created_at: number;
}

const APPROVED = 'no, id, email, created_at';

export const ALLOWLIST = `SELECT ${APPROVED}
  FROM approved_recipient INDEXED BY approved_recipient_account
  WHERE account_no = ? AND no < ?
  ORDER BY no DESC
  LIMIT ?`;

/** Returns an account's allowlist before a row number, newest first. */
export function listApproved(
  reading: Reading,
  accountNo: number,
  before: number,
  rows: number,
): ApprovedRecipient[] {
  return reading.sql(ALLOWLIST).all(accountNo, before, rows) as ApprovedRecipient[];
}

export function findOwnApproved(reading: Reading, accountNo: number, id: string): ApprovedRecipient | null {
  const row = reading
    .sql(`SELECT ${APPROVED} FROM approved_recipient WHERE id = ? AND account_no = ?`)
    .get(id, accountNo);
  return (row as ApprovedRecipient | undefined) ?? null;
}

export const APPROVED_COUNT = `SELECT count(*) AS approved
  FROM approved_recipient INDEXED BY approved_recipient_account
  WHERE account_no = ?`;

/** Counts the entries, for the plan's cap. */
export function countApproved(reading: Reading, accountNo: number): number {
  return (reading.sql(APPROVED_COUNT).get(accountNo) as { approved: number }).approved;
}

/** Whether an address (lower case) is on an account's allowlist. */
export function isApproved(reading: Reading, accountNo: number, email: string): boolean {
  const row = reading
    .sql('SELECT 1 FROM approved_recipient WHERE account_no = ? AND email = ?')
    .get(accountNo, email);
  return row !== undefined;
}
