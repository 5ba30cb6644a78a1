import type { Reading } from '../../../platform/store/operation.ts';
import { idPrefixes } from '../../../rules/ids.ts';

/** Makes the id of a thread from the id of the message or sent email that began it. */
export function makeThreadId(firstId: string): string {
  return idPrefixes.thread + firstId.slice(firstId.indexOf('_') + 1);
}

/**
 * The public id of the thread of a row `m`; null while the message is alone. A thread whose members are being moved
 * already has the id of the thread that they move to.
 */
export const THREAD_ID = `(SELECT coalesce((SELECT w.id FROM thread w WHERE w.no = t.into_no), t.id)
    FROM thread t WHERE t.no = m.thread_no)`;

export interface ThreadRow {
  no: number;
  id: string;
  last_at: number;
  messages: number;
  mentions: number;
  into_no: number | null;
}

export function findThread(reading: Reading, no: number): ThreadRow | null {
  const row = reading
    .sql('SELECT no, id, last_at, messages, mentions, into_no FROM thread WHERE no = ?')
    .get(no);
  return (row as ThreadRow | undefined) ?? null;
}

/** The longest chain of merged threads that is followed. A job moves their members within seconds. */
const HOPS_MAX = 1_000;

/** Returns the number of the thread into which this one was merged, or its own number. */
export function resolveThread(reading: Reading, no: number): number {
  let found = no;
  for (let hops = 0; hops < HOPS_MAX; hops++) {
    const into = findThread(reading, found)?.into_no ?? null;
    if (into === null) return found;
    found = into;
  }
  return found;
}

/**
 * Finds a thread by a Message-ID: that of one of its messages, or one that they mention. A test checks its query plan.
 */
export const KNOWN_REF = `SELECT no FROM
    (SELECT coalesce(thread_no, received_at) AS no FROM message INDEXED BY message_ref
     WHERE account_no = ? AND ref = ? LIMIT 1)
  UNION ALL
  SELECT thread_no FROM thread_ref WHERE account_no = ? AND ref = ?`;
