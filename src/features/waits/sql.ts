import type { Reading } from '../../platform/store/operation.ts';
import { TO_SUB_ADDRESS } from '../messages/sql.ts';
import type { MatchedColumns } from './condition.ts';

/** A message that a wait or a stream may return: the columns that it reads to decide. */
export interface WaitCandidate extends MatchedColumns {
  received_at: number;
  id: string;
  inbox_no: number;
  envelope_recipient: string;
  read_at: number | null;
}

const COLUMNS = `received_at, id, inbox_no, envelope_recipient, read_at, otp, otp_confidence, magic_link, "from", subject,
  proven_at`;

/**
 * The messages that count: those of an inbox, of an inbox to a local part with a +tag, or of all inboxes of an account.
 */
export type Scope =
  | { account_no: number; inbox_no: number; recipient: string | null }
  | { account_no: number; inbox_no: null };

/**
 * Returns when the latest message of an account was received or proven, whichever is later; 0 without messages. Clients
 * see where a wait or stream begins, so this must not be the time of the whole store, which would reveal when others
 * get mail.
 */
export function readLastTimeOf(reading: Reading, accountNo: number): number {
  const row = reading
    .sql(
      `SELECT max(
         coalesce((SELECT received_at FROM message INDEXED BY message_account
           WHERE account_no = ? ORDER BY received_at DESC LIMIT 1), 0),
         coalesce((SELECT proven_at FROM message INDEXED BY message_account_proven
           WHERE account_no = ? AND proven_at IS NOT NULL ORDER BY proven_at DESC LIMIT 1), 0)
       ) AS last_at`,
    )
    .get(accountNo, accountNo) as { last_at: number };
  return row.last_at;
}

/**
 * When a message of this account was received and proven, even if it is deleted. Null for another account's message.
 */
export function findTimes(
  reading: Reading,
  accountNo: number,
  id: string,
): { received_at: number; proven_at: number | null } | null {
  const row = (reading
    .sql(
      `SELECT m.received_at, m.proven_at
       FROM message m JOIN inbox i ON i.no = m.inbox_no
       WHERE m.id = ? AND i.account_no = ?`,
    )
    .get(id, accountNo) ??
    reading
      .sql('SELECT received_at, NULL AS proven_at FROM deleted_message WHERE id = ? AND account_no = ?')
      .get(id, accountNo)) as { received_at: number; proven_at: number | null } | undefined;
  return row ?? null;
}

export function findWaitCandidate(reading: Reading, id: string): WaitCandidate | null {
  const row = reading.sql(`SELECT ${COLUMNS} FROM message WHERE id = ?`).get(id);
  return (row as WaitCandidate | undefined) ?? null;
}

export function isUnread(reading: Reading, receivedAt: number): boolean {
  return (
    reading.sql('SELECT 1 FROM message WHERE received_at = ? AND read_at IS NULL').get(receivedAt) !==
    undefined
  );
}

/** Returns the condition of a scope, the values that it binds, and the index with its messages in order of arrival. */
function chooseScopeCondition(scope: Scope): {
  condition: string;
  values: (number | string)[];
  index: string;
} {
  if (scope.inbox_no === null) {
    return { condition: 'account_no = ?', values: [scope.account_no], index: 'message_account' };
  }
  if (scope.recipient === null) {
    return { condition: 'inbox_no = ?', values: [scope.inbox_no], index: 'message_inbox' };
  }
  return {
    condition: `inbox_no = ? AND ${TO_SUB_ADDRESS}`,
    values: [scope.inbox_no, scope.recipient],
    index: 'message_recipient',
  };
}

/** Like chooseScopeCondition, for unread messages only. */
function chooseUnreadCondition(scope: Scope): ReturnType<typeof chooseScopeCondition> {
  const { condition, values, index } = chooseScopeCondition(scope);
  return {
    condition: `${condition} AND read_at IS NULL`,
    values,
    index: index === 'message_inbox' ? 'message_unread' : `${index}_unread`,
  };
}

/** Reads messages after a time, oldest first. */
export function readAfter(reading: Reading, scope: Scope, after: number, rows: number): WaitCandidate[] {
  return readOldestFirst(reading, chooseScopeCondition(scope), after, Number.MAX_SAFE_INTEGER, rows);
}

/**
 * Reads messages whose From was found to be authentic after a time, in that order. For a sub-address it reads those of
 * the whole inbox, from which the caller picks.
 */
export function readProvenAfter(
  reading: Reading,
  scope: Scope,
  after: number,
  rows: number,
): WaitCandidate[] {
  const [column, value, index] =
    scope.inbox_no === null
      ? ['account_no', scope.account_no, 'message_account_proven']
      : ['inbox_no', scope.inbox_no, 'message_proven'];
  return reading
    .sql(
      `SELECT ${COLUMNS}
       FROM message INDEXED BY ${index}
       WHERE ${column} = ? AND proven_at > ?
       ORDER BY proven_at
       LIMIT ?`,
    )
    .all(value, after, rows) as WaitCandidate[];
}

/** Reads unread messages after a time and up to another, oldest first. */
export function readUnreadAfter(
  reading: Reading,
  scope: Scope,
  after: number,
  upTo: number,
  rows: number,
): WaitCandidate[] {
  return readOldestFirst(reading, chooseUnreadCondition(scope), after, upTo, rows);
}

function readOldestFirst(
  reading: Reading,
  { condition, values, index }: ReturnType<typeof chooseScopeCondition>,
  after: number,
  upTo: number,
  rows: number,
): WaitCandidate[] {
  return reading
    .sql(
      `SELECT ${COLUMNS}
       FROM message INDEXED BY ${index}
       WHERE ${condition} AND received_at > ? AND received_at <= ?
       ORDER BY received_at
       LIMIT ?`,
    )
    .all(...values, after, upTo, rows) as WaitCandidate[];
}

/** Reads unread messages from before a time, newest first. */
export function readUnreadBefore(
  reading: Reading,
  scope: Scope,
  before: number,
  rows: number,
): WaitCandidate[] {
  const { condition, values, index } = chooseUnreadCondition(scope);
  return reading
    .sql(
      `SELECT ${COLUMNS}
       FROM message INDEXED BY ${index}
       WHERE ${condition} AND received_at < ?
       ORDER BY received_at DESC
       LIMIT ?`,
    )
    .all(...values, before, rows) as WaitCandidate[];
}
