import type { Reading } from '../../../platform/store/operation.ts';

/** The authenticator app of a member. */
export interface Totp {
  user_no: number;
  /** Sealed. */
  secret: Uint8Array;
  created_at: number;
}

/** Null when the password alone is enough. */
export function findTotp(reading: Reading, userNo: number): Totp | null {
  const row = reading.sql('SELECT user_no, secret, created_at FROM totp WHERE user_no = ?').get(userNo);
  return (row as Totp | undefined) ?? null;
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
