import type { Reading } from '../../platform/store/operation.ts';
import type { MemberRole } from '../../rules/plans.ts';
import type { Account, KeyHolder } from './account.ts';
import type { Usage } from './wire.ts';

type Flag = 'custom_domains' | 'outbound' | 'operator' | 'trap';

/** An account with the columns of ACCOUNT; a flag is 0 or 1. */
export type AccountRow = Omit<Account, Flag> & Record<Flag, number>;

/** A member of an account. */
export interface User {
  no: number;
  id: string;
  account_no: number;
  email: string;
  role: MemberRole;
}

/** A key without its secret. */
export interface Key {
  no: number;
  id: string;
  account_no: number;
  key_prefix: string;
  name: string;
  role: MemberRole;
  created_at: number;
  revoked_at: number | null;
  /** The member who created it; null for an agent's key. */
  user_no: number | null;
}

export const ACCOUNT = `a.no, a.id, a.name, a.email, a.plan, a.kind, a.status, a.custom_domains, a.outbound,
  a.operator, a.trap, a.created_at, a.last_active_at`;
export const USER = 'no, id, account_no, email, role';
const KEY = 'no, id, account_no, key_prefix, name, role, created_at, revoked_at, user_no';

/** Converts a row with the columns of ACCOUNT. */
export function readAccountRow(row: AccountRow): Account {
  return {
    no: row.no,
    id: row.id,
    name: row.name,
    email: row.email,
    plan: row.plan,
    kind: row.kind,
    status: row.status,
    custom_domains: row.custom_domains === 1,
    outbound: row.outbound === 1,
    operator: row.operator === 1,
    trap: row.trap === 1,
    created_at: row.created_at,
    last_active_at: row.last_active_at,
  };
}

/** A live account by its number. */
export function findAccountByNo(reading: Reading, accountNo: number): Account | null {
  const row = reading
    .sql(`SELECT ${ACCOUNT} FROM account a WHERE a.no = ? AND a.deleted_at IS NULL`)
    .get(accountNo) as AccountRow | undefined;
  return row ? readAccountRow(row) : null;
}

/** A test checks its query plan, because SMTP runs it at each EHLO. */
export const ANY_TRAP =
  'SELECT 1 FROM account INDEXED BY account_trap WHERE trap = 1 AND deleted_at IS NULL LIMIT 1';

/** Whether any account is a trap. */
export function hasTraps(reading: Reading): boolean {
  return reading.sql(ANY_TRAP).get() !== undefined;
}

/** Whether the store has any account, a deleted one included. */
export function hasAccounts(reading: Reading): boolean {
  return reading.sql('SELECT 1 FROM account LIMIT 1').get() !== undefined;
}

/** The time at which the account was suspended; null if it is not. */
export function readSuspendedSince(reading: Reading, accountNo: number): number | null {
  const row = reading
    .sql(`SELECT suspended_at FROM account WHERE no = ? AND status = 'suspended'`)
    .get(accountNo) as { suspended_at: number } | undefined;
  return row?.suspended_at ?? null;
}

/** A live account by its public id. */
export function findAccountById(reading: Reading, id: string): Account | null {
  const row = reading
    .sql(`SELECT ${ACCOUNT} FROM account a WHERE a.id = ? AND a.deleted_at IS NULL`)
    .get(id) as AccountRow | undefined;
  return row ? readAccountRow(row) : null;
}

/** The live accounts that this person owns. For the operator's commands only: it reads every user. */
export function listAccountsOwnedBy(reading: Reading, email: string): Account[] {
  const rows = reading
    .sql(
      `SELECT ${ACCOUNT}
       FROM user u JOIN account a ON a.no = u.account_no
       WHERE u.email = ? AND u.role = 'owner' AND a.deleted_at IS NULL
       ORDER BY a.no`,
    )
    .all(email) as AccountRow[];
  return rows.map(readAccountRow);
}

/** Every live account, oldest first. For the operator's commands only. */
export function listAccounts(reading: Reading): Account[] {
  const rows = reading
    .sql(`SELECT ${ACCOUNT} FROM account a WHERE a.deleted_at IS NULL ORDER BY a.no`)
    .all() as AccountRow[];
  return rows.map(readAccountRow);
}

/**
 * Live accounts before a row number, newest first.
 * @param text In lower case. Only accounts whose email, name or id contains it; `""` for all.
 */
export function listAccountsPage(reading: Reading, text: string, before: number, rows: number): Account[] {
  const found = reading
    .sql(
      `SELECT ${ACCOUNT}
       FROM account a
       WHERE a.no < ? AND a.deleted_at IS NULL
         AND (? = '' OR instr(lower(coalesce(a.email, '') || ' ' || a.name || ' ' || a.id), ?) > 0)
       ORDER BY a.no DESC
       LIMIT ?`,
    )
    .all(before, text, text, rows) as AccountRow[];
  return found.map(readAccountRow);
}

/**
 * Returns the holder of a key, by the key's SHA-256. Null if the key is unknown or revoked, or its account is deleted.
 */
export function findCaller(reading: Reading, hash: Uint8Array): KeyHolder | null {
  const row = reading
    .sql(
      `SELECT ${ACCOUNT}, k.id AS key_id, k.role AS key_role
       FROM api_key k JOIN account a ON a.no = k.account_no
       WHERE k.hash = ? AND k.revoked_at IS NULL AND a.deleted_at IS NULL`,
    )
    .get(hash) as (AccountRow & { key_id: string; key_role: MemberRole }) | undefined;
  if (!row) return null;
  return { kind: 'key', account: readAccountRow(row), key_id: row.key_id, role: row.key_role };
}

/** The members of an account, owners first. */
export function listUsers(reading: Reading, accountNo: number): User[] {
  return reading
    .sql(`SELECT ${USER} FROM user WHERE account_no = ? ORDER BY role = 'owner' DESC, no`)
    .all(accountNo) as User[];
}

/** Whether a member `u` has any way to sign in, be it one that the settings don't allow now. */
export const HAS_WAY_IN = `u.password_hash IS NOT NULL
  OR EXISTS (SELECT 1 FROM identity i WHERE i.user_no = u.no)
  OR EXISTS (SELECT 1 FROM passkey p WHERE p.user_no = u.no)`;

/** A member as the list of members shows them. */
export interface Member extends User {
  /** 1 if the member has a way to sign in: a password, a passkey or OpenID Connect. */
  has_way_in: number;
  has_second_factor: number;
  passkeys: number;
  /** When their one-time link expires; null without one. */
  invited_until: number | null;
  created_at: number;
}

/** The members of an account with what the list shows, owners first. */
export function listMembers(reading: Reading, accountNo: number): Member[] {
  return reading
    .sql(
      `SELECT u.no, u.id, u.account_no, u.email, u.role, ${HAS_WAY_IN} AS has_way_in,
         EXISTS (SELECT 1 FROM totp t WHERE t.user_no = u.no) AS has_second_factor,
         (SELECT count(*) FROM passkey p WHERE p.user_no = u.no) AS passkeys,
         u.created_at, (SELECT max(i.expires_at) FROM invite i WHERE i.user_no = u.no) AS invited_until
       FROM user u
       WHERE u.account_no = ?
       ORDER BY u.role = 'owner' DESC, u.no`,
    )
    .all(accountNo) as Member[];
}

export function countMembers(reading: Reading, accountNo: number): number {
  const row = reading.sql('SELECT count(*) AS members FROM user WHERE account_no = ?').get(accountNo);
  return (row as { members: number }).members;
}

/** A member by number. */
export function findUserByNo(reading: Reading, userNo: number): User | null {
  const row = reading.sql(`SELECT ${USER} FROM user WHERE no = ?`).get(userNo) as User | undefined;
  return row ?? null;
}

/** A member of an account by email. */
export function findUserByEmail(reading: Reading, accountNo: number, email: string): User | null {
  const row = reading
    .sql(`SELECT ${USER} FROM user WHERE account_no = ? AND email = ?`)
    .get(accountNo, email) as User | undefined;
  return row ?? null;
}

/** The keys of an account, including revoked ones, oldest first. */
export function listKeys(reading: Reading, accountNo: number): Key[] {
  return reading.sql(`SELECT ${KEY} FROM api_key WHERE account_no = ? ORDER BY no`).all(accountNo) as Key[];
}

/** The number of keys that count against the cap. */
export function countLiveKeys(reading: Reading, accountNo: number): number {
  const row = reading
    .sql('SELECT count(*) AS keys FROM api_key WHERE account_no = ? AND revoked_at IS NULL')
    .get(accountNo);
  return (row as { keys: number }).keys;
}

/** A key by its public id. */
export function findKeyById(reading: Reading, id: string): Key | null {
  const row = reading.sql(`SELECT ${KEY} FROM api_key WHERE id = ?`).get(id) as Key | undefined;
  return row ?? null;
}

/** The usage of a month (`2026-11`); all zero if nothing was used. */
export function readUsage(reading: Reading, accountNo: number, month: string): Usage {
  const row = reading
    .sql(
      `SELECT month, messages_received, webhook_attempts, outbound_recipients, verifications
       FROM usage
       WHERE account_no = ? AND month = ?`,
    )
    .get(accountNo, month) as Usage | undefined;
  const none = { messages_received: 0, webhook_attempts: 0, outbound_recipients: 0, verifications: 0 };
  return row ?? { month, ...none };
}
