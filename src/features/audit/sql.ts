import type { ActorKind } from '../../platform/core/actor.ts';
import type { Reading } from '../../platform/store/operation.ts';
import type { AuditAction } from '../../rules/audit.ts';

export interface AuditRow {
  no: number;
  id: string;
  at: number;
  account_id: string | null;
  action: AuditAction;
  actor_kind: ActorKind;
  actor_id: string | null;
  actor_name: string | null;
  address: string | null;
  agent: string | null;
  target: string | null;
  /** JSON. */
  details: string;
}

const ENTRY = `no, id, at, account_id, action, actor_kind, actor_id, actor_name, address, agent, target, details`;

/** A test checks the query plans of these statements. */
export const AUDIT_OF_ACCOUNT = `SELECT ${ENTRY}
  FROM audit INDEXED BY audit_account
  WHERE account_id = ? AND no < ?
  ORDER BY no DESC
  LIMIT ?`;
export const AUDIT_OF_ALL = `SELECT ${ENTRY} FROM audit WHERE no < ? ORDER BY no DESC LIMIT ?`;
export const AUDIT_OF_ACCOUNT_SINCE = `SELECT ${ENTRY}
  FROM audit INDEXED BY audit_account
  WHERE account_id = ? AND no > ?
  ORDER BY no
  LIMIT ?`;
export const AUDIT_SINCE = `SELECT ${ENTRY} FROM audit WHERE no > ? ORDER BY no LIMIT ?`;

/** The entries of an account, newest first, before a row number. */
export function listAudit(reading: Reading, accountId: string, before: number, rows: number): AuditRow[] {
  return reading.sql(AUDIT_OF_ACCOUNT).all(accountId, before, rows) as AuditRow[];
}

/** All entries, newest first, for the operator. */
export function listWholeAudit(reading: Reading, before: number, rows: number): AuditRow[] {
  return reading.sql(AUDIT_OF_ALL).all(before, rows) as AuditRow[];
}

/** Entries after a row number, oldest first, of one account or of all (null). */
export function listAuditAfter(
  reading: Reading,
  accountId: string | null,
  after: number,
  rows: number,
): AuditRow[] {
  return (
    accountId === null
      ? reading.sql(AUDIT_SINCE).all(after, rows)
      : reading.sql(AUDIT_OF_ACCOUNT_SINCE).all(accountId, after, rows)
  ) as AuditRow[];
}

/** The number of the last entry before a time; 0 if there is none. */
export function findAuditBefore(reading: Reading, at: number): number {
  const row = reading.sql('SELECT no FROM audit WHERE at < ? ORDER BY at DESC LIMIT 1').get(at);
  return (row as { no: number } | undefined)?.no ?? 0;
}
