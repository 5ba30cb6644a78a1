import type { Reading } from '../../platform/store/operation.ts';
import type { MatchedColumns } from './condition.ts';

/** The part of a message that a wait reads. */
export interface LookedAt extends MatchedColumns {
  received_at: number;
  id: string;
  read_at: number | null;
}

const COLUMNS = 'received_at, id, read_at, otp, otp_confidence, magic_link, "from", subject';

/** The newest received_at ever committed; 0 in an empty store. */
export function readLastTime(reading: Reading): number {
  return (reading.sql('SELECT last_at FROM arrival').get() as { last_at: number }).last_at;
}

/** When a message of this account was received, even if deleted since. Null if it belongs to another account. */
export function findReceivedAt(reading: Reading, accountNo: number, id: string): number | null {
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

/** Builds a query for an inbox's messages after one time and up to another, oldest first, using the given index. */
function makeOldestFirst(index: string, condition: string) {
  const text = `SELECT ${COLUMNS}
    FROM message INDEXED BY ${index}
    WHERE inbox_no = ? AND received_at > ? AND received_at <= ? ${condition}
    ORDER BY received_at
    LIMIT ?`;
  return (reading: Reading, inboxNo: number, after: number, upTo: number, rows: number): LookedAt[] =>
    reading.sql(text).all(inboxNo, after, upTo, rows) as LookedAt[];
}

export const readAfter = makeOldestFirst('message_inbox', '');
export const readUnreadAfter = makeOldestFirst('message_unread', 'AND read_at IS NULL');

/** An inbox's unread messages from before a time, newest first. */
export function readUnreadBefore(
  reading: Reading,
  inboxNo: number,
  before: number,
  rows: number,
): LookedAt[] {
  return reading
    .sql(
      `SELECT ${COLUMNS}
       FROM message INDEXED BY message_unread
       WHERE inbox_no = ? AND read_at IS NULL AND received_at < ?
       ORDER BY received_at DESC
       LIMIT ?`,
    )
    .all(inboxNo, before, rows) as LookedAt[];
}
