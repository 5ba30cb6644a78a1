import type { Reading } from '../../platform/store/operation.ts';
import type { EventKind } from '../../rules/events.ts';

/** An event as it is stored. */
export interface StoredEvent {
  no: number;
  id: string;
  account_no: number;
  inbox_no: number | null;
  kind: EventKind;
  subject_id: string;
  note: string | null;
  /** Strictly increasing within an account. */
  created_at: number;
}

/** A test checks its query plan. */
export const EVENTS_AFTER = `SELECT no, id, account_no, inbox_no, kind, subject_id, note, created_at
  FROM event INDEXED BY event_account
  WHERE account_no = ? AND created_at > ?
  ORDER BY created_at
  LIMIT ?`;

/** The events of an account after a time, oldest first. */
export function listEventsAfter(
  reading: Reading,
  accountNo: number,
  afterUs: number,
  rows: number,
): StoredEvent[] {
  return reading.sql(EVENTS_AFTER).all(accountNo, afterUs, rows) as StoredEvent[];
}

export function findEvent(reading: Reading, accountNo: number, id: string): StoredEvent | null {
  const row = reading
    .sql(
      `SELECT no, id, account_no, inbox_no, kind, subject_id, note, created_at
       FROM event
       WHERE id = ? AND account_no = ?`,
    )
    .get(id, accountNo);
  return (row as StoredEvent | undefined) ?? null;
}

/** When the account last called GET /events; null if no events are kept for that. */
export function findReadAt(reading: Reading, accountNo: number): number | null {
  const row = reading.sql('SELECT read_at FROM event_reader WHERE account_no = ?').get(accountNo);
  return (row as { read_at: number } | undefined)?.read_at ?? null;
}
