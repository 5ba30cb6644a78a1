import type { Reading } from '../../../platform/store/operation.ts';

/** An address that an account can't send to. */
export interface Suppression {
  email: string;
  reason: string;
  created_at: number;
  expires_at: number;
}

/** Returns an account's suppression list, sorted by address. */
export function findSuppressions(reading: Reading, accountNo: number, nowUs: number): Suppression[] {
  return reading
    .sql(
      `SELECT email, reason, created_at, expires_at
       FROM suppression
       WHERE account_no = ? AND expires_at > ?
       ORDER BY email`,
    )
    .all(accountNo, nowUs) as Suppression[];
}

/** Whether an address (lower case) is on an account's suppression list. */
export function isSuppressed(reading: Reading, accountNo: number, email: string, nowUs: number): boolean {
  const row = reading
    .sql('SELECT 1 FROM suppression WHERE account_no = ? AND email = ? AND expires_at > ?')
    .get(accountNo, email, nowUs);
  return row !== undefined;
}
