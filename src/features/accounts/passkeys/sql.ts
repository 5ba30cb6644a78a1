import type { Reading } from '../../../platform/store/operation.ts';

/** A passkey of one member. */
export interface Passkey {
  no: number;
  id: string;
  user_no: number;
  rp_id: string;
  credential_id: Uint8Array;
  public_key: Uint8Array;
  user_handle: string;
  sign_count: number;
  /** JSON. */
  transports: string;
  is_synced: number;
  name: string;
  created_at: number;
  used_at: number | null;
}

/** How members can sign in on this server. */
export interface SignInOptions {
  hasPasswords: boolean;
  /** The issuer of the identity provider; null without one. */
  issuer: string | null;
  /** The host name that passkeys must be bound to; null where they can't work. */
  rp_id: string | null;
}

const PASSKEY = `p.no, p.id, p.user_no, p.rp_id, p.credential_id, p.public_key, p.user_handle, p.sign_count, p.transports,
  p.is_synced, p.name, p.created_at, p.used_at`;

/** At most this many passkeys per member, which bounds the list that a browser is sent. */
export const PASSKEYS_MAX = 20;

/** The passkeys of a member, oldest first. */
export function listPasskeys(reading: Reading, userNo: number): Passkey[] {
  return reading
    .sql(`SELECT ${PASSKEY} FROM passkey p INDEXED BY passkey_user WHERE p.user_no = ? ORDER BY p.no LIMIT ?`)
    .all(userNo, PASSKEYS_MAX) as Passkey[];
}

/** The rows of one passkey: it has one for each account that it opens. */
export function listByCredential(
  reading: Reading,
  rpId: string,
  credentialId: Uint8Array,
  rows: number,
): Passkey[] {
  return reading
    .sql(
      `SELECT ${PASSKEY}
       FROM passkey p INDEXED BY passkey_credential
         JOIN user u ON u.no = p.user_no JOIN account a ON a.no = u.account_no
       WHERE p.credential_id = ? AND p.rp_id = ? AND a.deleted_at IS NULL
       ORDER BY p.user_no
       LIMIT ?`,
    )
    .all(credentialId, rpId, rows) as Passkey[];
}

/** Whether any member has this passkey. */
export function isCredentialKnown(reading: Reading, credentialId: Uint8Array): boolean {
  return reading.sql('SELECT 1 FROM passkey WHERE credential_id = ? LIMIT 1').get(credentialId) !== undefined;
}

/** Whether a member has any way to sign in. */
export function canSignIn(
  reading: Reading,
  userNo: number,
  { hasPasswords, issuer, rp_id }: SignInOptions,
): boolean {
  const row = reading
    .sql(
      `SELECT 1 FROM user u
       WHERE u.no = ? AND (u.password_hash IS NOT NULL AND ?
         OR EXISTS (SELECT 1 FROM identity i WHERE i.user_no = u.no AND i.issuer = ?)
         OR EXISTS (SELECT 1 FROM passkey p WHERE p.user_no = u.no AND p.rp_id = ?))`,
    )
    .get(userNo, Number(hasPasswords), issuer, rp_id);
  return row !== undefined;
}
