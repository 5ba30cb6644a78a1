import type { Reading } from '../../platform/store/operation.ts';
import { TO_SUB_ADDRESS } from '../messages/sql.ts';
import type { MatchedColumns } from './condition.ts';

/** A message as a wait looks at it. */
export interface LookedAt extends MatchedColumns {
  received_at: number;
  id: string;
  inbox_no: number;
  envelope_recipient: string;
  read_at: number | null;
}

const COLUMNS =
  'received_at, id, inbox_no, envelope_recipient, read_at, otp, otp_confidence, magic_link, "from", subject';

/** Which messages count: an inbox's, those of them to a local part with a +tag, or those of all inboxes of an account. */
export type Scope =
  | { account_no: number; inbox_no: number; recipient: string | null }
  | { account_no: number; inbox_no: null };

/** The newest received_at that was ever given and committed; 0 in an empty store. */
export function lastReceivedAt(reading: Reading): number {
  return (reading.sql('SELECT last_at FROM arrival').get() as { last_at: number }).last_at;
}

/** When a message of this account was received, also when it was deleted since; null when it is not theirs. */
export function receivedAtOf(reading: Reading, accountNo: number, id: string): number | null {
  const row = (reading
    .sql(
      `SELECT m.received_at
       FROM message m JOIN inbox i ON i.no = m.inbox_no
       WHERE m.id = ? AND i.account_no = ?`,
    )
    .get(id, accountNo) ??
    reading
      .sql('SELECT received_at FROM deleted_message WHERE id = ? AND account_no = ?')
      .get(id, accountNo)) as { received_at: number } | undefined;
  return row?.received_at ?? null;
}

export function isUnread(reading: Reading, receivedAt: number): boolean {
  return (
    reading.sql('SELECT 1 FROM message WHERE received_at = ? AND read_at IS NULL').get(receivedAt) !==
    undefined
  );
}

/** The condition of a scope, its values, and the index that has its messages in order. */
function within(scope: Scope): { condition: string; values: (number | string)[]; index: string } {
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

/** The same for unread messages alone. */
function unreadWithin(scope: Scope): ReturnType<typeof within> {
  const { condition, values, index } = within(scope);
  return {
    condition: `${condition} AND read_at IS NULL`,
    values,
    index: index === 'message_inbox' ? 'message_unread' : `${index}_unread`,
  };
}

/** Messages after a time, oldest first. */
export function messagesAfter(reading: Reading, scope: Scope, after: number, rows: number): LookedAt[] {
  return oldestFirst(reading, within(scope), after, Number.MAX_SAFE_INTEGER, rows);
}

/** Unread messages after a time and up to another, oldest first. */
export function unreadAfter(
  reading: Reading,
  scope: Scope,
  after: number,
  upTo: number,
  rows: number,
): LookedAt[] {
  return oldestFirst(reading, unreadWithin(scope), after, upTo, rows);
}

function oldestFirst(
  reading: Reading,
  { condition, values, index }: ReturnType<typeof within>,
  after: number,
  upTo: number,
  rows: number,
): LookedAt[] {
  return reading
    .sql(
      `SELECT ${COLUMNS}
       FROM message INDEXED BY ${index}
       WHERE ${condition} AND received_at > ? AND received_at <= ?
       ORDER BY received_at
       LIMIT ?`,
    )
    .all(...values, after, upTo, rows) as LookedAt[];
}

/** Unread messages up to a time, newest first. */
export function unreadBefore(reading: Reading, scope: Scope, before: number, rows: number): LookedAt[] {
  const { condition, values, index } = unreadWithin(scope);
  return reading
    .sql(
      `SELECT ${COLUMNS}
       FROM message INDEXED BY ${index}
       WHERE ${condition} AND received_at < ?
       ORDER BY received_at DESC
       LIMIT ?`,
    )
    .all(...values, before, rows) as LookedAt[];
}
