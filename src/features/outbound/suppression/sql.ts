import type { Reading } from '../../../platform/store/operation.ts';

/** An address that an account can't send to. */
export interface Suppression {
  email: string;
  reason: string;
  created_at: number;
  expires_at: number;
}

/** A test checks its plan: an account can have very many. */
export const SUPPRESSIONS = `SELECT email, reason, created_at, expires_at
  FROM suppression
  WHERE account_no = ? AND email > ? AND expires_at > ?
  ORDER BY email
  LIMIT ?`;

/** Returns an account's suppression list after an address, sorted by address. */
export function listSuppressions(
  reading: Reading,
  accountNo: number,
  nowUs: number,
  after = '',
  rows = Number.MAX_SAFE_INTEGER,
): Suppression[] {
  return reading.sql(SUPPRESSIONS).all(accountNo, after, nowUs, rows) as Suppression[];
}

/** Whether an address (lower case) is on an account's suppression list. */
export function isSuppressed(reading: Reading, accountNo: number, email: string, nowUs: number): boolean {
  const row = reading
    .sql('SELECT 1 FROM suppression WHERE account_no = ? AND email = ? AND expires_at > ?')
    .get(accountNo, email, nowUs);
  return row !== undefined;
}
