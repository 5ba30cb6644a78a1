import type { Reading } from '../../platform/store/operation.ts';
import type { Actions, Conditions, Done, ErrandKind, Rule } from './rule.ts';

/** A rule as it is stored. */
export interface RuleRow {
  no: number;
  id: string;
  account_no: number;
  /** From 1, without gaps. */
  position: number;
  name: string;
  is_enabled: number;
  /** JSON of Conditions. */
  conditions: string;
  /** JSON of Actions. */
  actions: string;
  created_at: number;
  updated_at: number;
}

const RULE = 'no, id, account_no, position, name, is_enabled, conditions, actions, created_at, updated_at';

/** Returns the rules of an account in order: a few dozen at most. */
export function listRules(reading: Reading, accountNo: number): RuleRow[] {
  return reading
    .sql(`SELECT ${RULE} FROM mail_rule WHERE account_no = ? ORDER BY position`)
    .all(accountNo) as RuleRow[];
}

export function findOwnRule(reading: Reading, accountNo: number, id: string): RuleRow | null {
  const row = reading.sql(`SELECT ${RULE} FROM mail_rule WHERE id = ? AND account_no = ?`).get(id, accountNo);
  return (row as RuleRow | undefined) ?? null;
}

/** Runs for every mail of an account that has rules. A test checks its plan. */
export const ENABLED_RULES = `SELECT id, name, conditions, actions
  FROM mail_rule INDEXED BY mail_rule_enabled
  WHERE account_no = ? AND is_enabled = 1
  ORDER BY position`;

/** Whether an account has rules that are on. */
export function hasRules(reading: Reading, accountNo: number): boolean {
  const row = reading.sql('SELECT 1 FROM mail_rule WHERE account_no = ? AND is_enabled = 1').get(accountNo);
  return row !== undefined;
}

/** Returns the rules that are on, in order. */
export function listEnabledRules(reading: Reading, accountNo: number): Rule[] {
  const rows = reading.sql(ENABLED_RULES).all(accountNo) as Pick<
    RuleRow,
    'id' | 'name' | 'conditions' | 'actions'
  >[];
  return rows.map(readRule);
}

export function readRule(row: Pick<RuleRow, 'id' | 'name' | 'conditions' | 'actions'>): Rule {
  return {
    id: row.id,
    name: row.name,
    conditions: JSON.parse(row.conditions) as Conditions,
    actions: JSON.parse(row.actions) as Actions,
  };
}

export type ErrandStatus = 'pending' | 'done' | 'failed' | 'refused';

/** A forward or a notice, in progress or finished. */
export interface ErrandRow {
  no: number;
  account_no: number;
  received_at: number;
  rule_id: string;
  rule_name: string;
  kind: ErrandKind;
  target: string;
  status: ErrandStatus;
  tries: number;
  created_at: number;
  at: number;
  due_at: number | null;
  reason: string | null;
  outbound_id: string | null;
}

const ERRAND = `no, account_no, received_at, rule_id, rule_name, kind, target, status, tries, created_at, at, due_at,
  reason, outbound_id`;

/** The errands of one kind of an account. Queues take turns. */
export interface ErrandQueue {
  account_no: number;
  kind: ErrandKind;
}

/** A test checks the plans of these statements: they must cost the same with 100,000 waiting errands as with few. */
export const NEXT_QUEUE = `SELECT account_no, kind
  FROM errand INDEXED BY errand_due
  WHERE (account_no, kind) > (?, ?) AND due_at IS NOT NULL
  ORDER BY account_no, kind
  LIMIT 1`;

export const DUE_ERRANDS = `SELECT ${ERRAND}
  FROM errand INDEXED BY errand_due
  WHERE account_no = ? AND kind = ? AND due_at IS NOT NULL
  ORDER BY due_at
  LIMIT ?`;

/** Returns the queue after `after` that has something to carry out, now or later; null if there is none. */
export function findNextQueue(reading: Reading, after: ErrandQueue | null): ErrandQueue | null {
  const row = reading.sql(NEXT_QUEUE).get(after?.account_no ?? 0, after?.kind ?? '');
  return (row as ErrandQueue | undefined) ?? null;
}

/** Returns what a queue has to carry out, now or later, longest due first. */
export function listWaitingErrands(reading: Reading, queue: ErrandQueue, rows: number): ErrandRow[] {
  return reading.sql(DUE_ERRANDS).all(queue.account_no, queue.kind, rows) as ErrandRow[];
}

/** Returns the ids of an errand's message and of its inbox; null once the message is deleted. */
export function findErrandMessage(
  reading: Reading,
  receivedAt: number,
): { id: string; inbox_id: string } | null {
  const row = reading
    .sql(
      `SELECT m.id, i.id AS inbox_id
       FROM message m JOIN inbox i ON i.no = m.inbox_no
       WHERE m.received_at = ? AND i.deleted_at IS NULL`,
    )
    .get(receivedAt);
  return (row as { id: string; inbox_id: string } | undefined) ?? null;
}

/** Returns what rules did with a message when it was stored. */
export function readDone(reading: Reading, receivedAt: number): Done[] {
  const row = reading.sql('SELECT done FROM ruled_message WHERE received_at = ?').get(receivedAt);
  return row ? JSON.parse((row as { done: string }).done) : [];
}

export function listErrands(reading: Reading, receivedAt: number): ErrandRow[] {
  return reading
    .sql(`SELECT ${ERRAND} FROM errand WHERE received_at = ? ORDER BY no`)
    .all(receivedAt) as ErrandRow[];
}

/** A stored message as rules see it. */
export interface StoredMessage {
  received_at: number;
  id: string;
  inbox_id: string;
  envelope_recipient: string;
  from: string;
  subject: string;
  otp: string | null;
  tags: string | null;
  /** Whether its inbox was deleted, so that it will be too. */
  is_gone: number;
}

/** A test checks its plan. */
export const STORED_MESSAGES = `SELECT m.received_at, m.id, i.id AS inbox_id, m.envelope_recipient, m."from", m.subject, m.otp,
    m.tags, i.deleted_at IS NOT NULL AS is_gone
  FROM message m INDEXED BY message_account CROSS JOIN inbox i ON i.no = m.inbox_no
  WHERE m.account_no = ? AND m.received_at < ?
  ORDER BY m.received_at DESC
  LIMIT ?`;

/**
 * Returns an account's messages before a time, newest first. Includes those of deleted inboxes, so that the bound
 * holds.
 */
export function listStoredMessages(
  reading: Reading,
  accountNo: number,
  before: number,
  rows: number,
): StoredMessage[] {
  return reading.sql(STORED_MESSAGES).all(accountNo, before, rows) as StoredMessage[];
}

/** A test checks its plan. */
export const EXPIRED = `SELECT received_at
  FROM ruled_message INDEXED BY ruled_message_delete
  WHERE delete_at IS NOT NULL AND delete_at <= ?
  ORDER BY delete_at
  LIMIT ?`;
