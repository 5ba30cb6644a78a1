import { SECOND_US } from '../../../platform/core/clock.ts';
import { fail } from '../../../platform/core/failure.ts';

import type { Reading } from '../../../platform/store/operation.ts';
import type { MemberRole } from '../../../rules/plans.ts';
import type { Account } from '../account.ts';
import { canSignIn, type SignInOptions } from '../passkeys/sql.ts';
import { ACCOUNT, type AccountRow, HAS_WAY_IN, readAccountRow, type User } from '../sql.ts';

/** The session of a signed-in person, who is acting as a member of one account. */
export interface Session {
  no: number;
  id: string;
  created_at: number;
  seen_at: number;
  expires_at: number;
  account: Account;
  user: User;
}

/** A session in a person's list of sessions. */
export interface SessionRow {
  no: number;
  id: string;
  browser: string;
  created_at: number;
  seen_at: number;
}

/** A member who has a password. */
export interface MemberWithPassword extends User {
  password_hash: string;
}

/** A session ends after this many seconds without a request. */
export const SESSION_IDLE_S = 7 * 86_400;

interface Joined extends AccountRow {
  session_no: number;
  session_id: string;
  session_created_at: number;
  seen_at: number;
  expires_at: number;
  user_no: number;
  user_id: string;
  user_email: string;
  role: MemberRole;
}

/**
 * Returns the live session of a token, by its hash. Read from the store at each request, so an ended session stops at
 * once.
 */
export function findSessionByHash(reading: Reading, tokenHash: Uint8Array, nowUs: number): Session | null {
  const row = reading
    .sql(
      `SELECT ${ACCOUNT}, s.no AS session_no, s.id AS session_id, s.created_at AS session_created_at,
         s.seen_at, s.expires_at, u.no AS user_no, u.id AS user_id, u.email AS user_email, u.role
       FROM session s JOIN user u ON u.no = s.user_no JOIN account a ON a.no = u.account_no
       WHERE s.token_hash = ? AND s.expires_at > ? AND s.seen_at > ? AND a.deleted_at IS NULL`,
    )
    .get(tokenHash, nowUs, nowUs - SESSION_IDLE_S * SECOND_US) as Joined | undefined;
  if (!row) return null;
  return {
    no: row.session_no,
    id: row.session_id,
    created_at: row.session_created_at,
    seen_at: row.seen_at,
    expires_at: row.expires_at,
    account: readAccountRow(row),
    user: { no: row.user_no, id: row.user_id, account_no: row.no, email: row.user_email, role: row.role },
  };
}

/** At most `rows` members with this email who have a password, oldest first. */
export function listMembersWithPassword(reading: Reading, email: string, rows: number): MemberWithPassword[] {
  return reading
    .sql(
      `SELECT u.no, u.id, u.account_no, u.email, u.role, u.password_hash
       FROM user u INDEXED BY user_sign_in JOIN account a ON a.no = u.account_no
       WHERE u.email = ? AND u.password_hash IS NOT NULL AND a.deleted_at IS NULL
       ORDER BY u.no
       LIMIT ?`,
    )
    .all(email, rows) as MemberWithPassword[];
}

/** Returns a member who must exist. */
export function readPerson(reading: Reading, userNo: number): Pick<User, 'id' | 'account_no' | 'email'> {
  return reading.sql('SELECT id, account_no, email FROM user WHERE no = ?').get(userNo) as User;
}

/** The password hash of a member. */
export function readPasswordHash(reading: Reading, userNo: number): string | null {
  const row = reading.sql('SELECT password_hash FROM user WHERE no = ?').get(userNo);
  return (row as { password_hash: string | null } | undefined)?.password_hash ?? null;
}

/** A member of a session, and the hash of the password that opens it. */
export interface OpenedMember {
  no: number;
  hash: string;
}

/** The members of a session who have a password. */
export function listSessionPasswords(reading: Reading, sessionNo: number): OpenedMember[] {
  return reading
    .sql(
      `SELECT u.no, u.password_hash AS hash
       FROM session_member m JOIN user u ON u.no = m.user_no
       WHERE m.session_no = ? AND u.password_hash IS NOT NULL
       ORDER BY u.no`,
    )
    .all(sessionNo) as OpenedMember[];
}

/** An account that a session may switch to, with the role there. */
export interface Membership {
  user_no: number;
  role: MemberRole;
  account: Account;
}

export function listMemberships(reading: Reading, sessionNo: number): Membership[] {
  const rows = reading
    .sql(
      `SELECT ${ACCOUNT}, u.no AS user_no, u.role
       FROM session_member m JOIN user u ON u.no = m.user_no JOIN account a ON a.no = u.account_no
       WHERE m.session_no = ? AND a.deleted_at IS NULL
       ORDER BY u.no`,
    )
    .all(sessionNo) as (AccountRow & { user_no: number; role: MemberRole })[];
  return rows.map((row) => ({ user_no: row.user_no, role: row.role, account: readAccountRow(row) }));
}

/** Whether the session's sign-in proved this member. */
export function isInSession(reading: Reading, sessionNo: number, userNo: number): boolean {
  const row = reading
    .sql('SELECT 1 FROM session_member WHERE session_no = ? AND user_no = ?')
    .get(sessionNo, userNo);
  return row !== undefined;
}

/** The numbers of the members that a session's sign-in proved. Throws if the session has ended meanwhile. */
export function requireProven(reading: Reading, sessionNo: number): number[] {
  const rows = reading
    .sql('SELECT user_no FROM session_member WHERE session_no = ? ORDER BY user_no')
    .all(sessionNo) as { user_no: number }[];
  if (rows.length === 0) fail('authentication_required');
  return rows.map(({ user_no }) => user_no);
}

/** The members that a live session's sign-in proved, by the session's public id. */
export function listSessionMembers(reading: Reading, sessionId: string, nowUs: number): User[] {
  return reading
    .sql(
      `SELECT u.no, u.id, u.account_no, u.email, u.role
       FROM session s JOIN session_member m ON m.session_no = s.no JOIN user u ON u.no = m.user_no
         JOIN account a ON a.no = u.account_no
       WHERE s.id = ? AND s.expires_at > ? AND s.seen_at > ? AND a.deleted_at IS NULL
       ORDER BY u.no`,
    )
    .all(sessionId, nowUs, nowUs - SESSION_IDLE_S * SECOND_US) as User[];
}

/** The sessions of a member, newest first. */
export function listSessions(reading: Reading, userNo: number, nowUs: number): SessionRow[] {
  return reading
    .sql(
      `SELECT s.no, s.id, s.browser, s.created_at, s.seen_at
       FROM session_member m JOIN session s ON s.no = m.session_no
       WHERE m.user_no = ? AND s.expires_at > ? AND s.seen_at > ?
       ORDER BY s.no DESC
       LIMIT 100`,
    )
    .all(userNo, nowUs, nowUs - SESSION_IDLE_S * SECOND_US) as SessionRow[];
}

/** A valid one-time link: the member whose password it sets, and their account. */
export interface Invite {
  user: User;
  account: Account;
  /** Whether the member could sign in before, so lost the way that they had. */
  isReturning: boolean;
}

export function findInvite(reading: Reading, tokenHash: Uint8Array, nowUs: number): Invite | null {
  const row = reading
    .sql(
      `SELECT ${ACCOUNT}, u.no AS user_no, u.id AS user_id, u.email AS user_email, u.role,
         ${HAS_WAY_IN} AS is_returning
       FROM invite n JOIN user u ON u.no = n.user_no JOIN account a ON a.no = u.account_no
       WHERE n.token_hash = ? AND n.expires_at > ? AND a.deleted_at IS NULL`,
    )
    .get(tokenHash, nowUs) as (Joined & { is_returning: number }) | undefined;
  if (!row) return null;
  const { user_no, user_id, user_email, role, is_returning } = row;
  return {
    user: { no: user_no, id: user_id, account_no: row.no, email: user_email, role },
    account: readAccountRow(row),
    isReturning: is_returning === 1,
  };
}

/** Whether any owner of an operator's account can sign in, and so open the operator's pages. */
export function canAnyOperatorSignIn(reading: Reading, signInOptions: SignInOptions): boolean {
  const owners = reading
    .sql(
      `SELECT u.no
       FROM account a JOIN user u ON u.account_no = a.no
       WHERE a.operator = 1 AND a.deleted_at IS NULL AND u.role = 'owner'
       ORDER BY u.no`,
    )
    .all() as { no: number }[];
  return owners.some(({ no }) => canSignIn(reading, no, signInOptions));
}

/** The host names to which passkeys of owners of operators' accounts are bound. */
export function listOperatorsHosts(reading: Reading): string[] {
  const rows = reading
    .sql(
      `SELECT DISTINCT p.rp_id
       FROM account a JOIN user u ON u.account_no = a.no JOIN passkey p INDEXED BY passkey_user ON p.user_no = u.no
       WHERE a.operator = 1 AND a.deleted_at IS NULL AND u.role = 'owner'
       ORDER BY p.rp_id
       LIMIT 10`,
    )
    .all() as { rp_id: string }[];
  return rows.map(({ rp_id }) => rp_id);
}

/** The oldest operator's account; null if there is none. */
export function findOperatorsAccount(reading: Reading): { no: number } | null {
  const row = reading
    .sql('SELECT no FROM account WHERE operator = 1 AND deleted_at IS NULL ORDER BY no LIMIT 1')
    .get();
  return (row as { no: number } | undefined) ?? null;
}

/** The owner of the operator's account; null if there is no such account. */
export function findOperatorsOwner(reading: Reading): User | null {
  const row = reading
    .sql(
      `SELECT u.no, u.id, u.account_no, u.email, u.role
       FROM account a JOIN user u ON u.account_no = a.no
       WHERE a.operator = 1 AND a.deleted_at IS NULL AND u.role = 'owner'
       ORDER BY u.no
       LIMIT 1`,
    )
    .get();
  return (row as User | undefined) ?? null;
}
