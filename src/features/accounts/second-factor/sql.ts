import type { Reading } from '../../../platform/store/operation.ts';

/** The authenticator app of a member. */
export interface Totp {
  user_no: number;
  /** Sealed with server.key. */
  secret: Uint8Array;
  created_at: number;
}

/** Returns a member's authenticator app, or null if the password alone is enough. */
export function findTotp(reading: Reading, userNo: number): Totp | null {
  const row = reading.sql('SELECT user_no, secret, created_at FROM totp WHERE user_no = ?').get(userNo);
  return (row as Totp | undefined) ?? null;
}

/** Whether a member has a second factor that another member with the same email does not share. */
export function hasOwnTotp(reading: Reading, userNo: number, otherNo: number): boolean {
  const row = reading
    .sql(
      `SELECT 1 FROM totp t
       WHERE t.user_no = ?
         AND NOT EXISTS (SELECT 1 FROM totp other WHERE other.user_no = ? AND other.secret = t.secret)`,
    )
    .get(userNo, otherNo);
  return row !== undefined;
}

export function countRecoveryCodes(reading: Reading, userNo: number): number {
  const row = reading.sql('SELECT count(*) AS count FROM recovery_code WHERE user_no = ?').get(userNo);
  return (row as { count: number }).count;
}

export function hasRecoveryCode(reading: Reading, userNo: number, hash: Uint8Array): boolean {
  const row = reading
    .sql('SELECT 1 FROM recovery_code WHERE user_no = ? AND code_hash = ?')
    .get(userNo, hash);
  return row !== undefined;
}
