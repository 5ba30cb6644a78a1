import type { Floor } from '../floor.ts';
import type { Job } from '../job.ts';
import { writeOp } from '../store/operation.ts';
import { indexedTo } from './search.ts';
import { asSender, inboxMark, indexText, trigrams } from './search-text.ts';

/*
 * Fills the search index behind the mail: not on the way of a message, where it would cost a quarter of the rate.
 * While mail floods in it waits, but never so long that a search would have to look through too many messages.
 */

/** Messages in one transaction: about 10 ms of the writer thread. */
const SLICE = 200;
/** Messages that may wait for a pause in the mail. */
const BACKLOG_MAX = 20_000;

/** Indexes the next messages; gives how many that were. */
export const indexSearch = writeOp('messages.index_search', (tx, { rows }: { rows: number }): number => {
  const messages = tx
    .sql(
      `SELECT received_at, inbox_no, subject, "from" AS sender
       FROM message
       WHERE received_at > ?
       ORDER BY received_at
       LIMIT ?`,
    )
    .all(indexedTo(tx), rows) as { received_at: number; inbox_no: number; subject: string; sender: string }[];
  const terms = new Set<string>();
  for (const { received_at, inbox_no, ...message } of messages) {
    const subject = indexText(message.subject);
    const sender = asSender(indexText(message.sender));
    tx.sql('INSERT INTO message_search (rowid, inbox, subject, sender) VALUES (?, ?, ?, ?)').run(
      received_at,
      inboxMark(inbox_no),
      subject,
      sender,
    );
    for (const text of [subject, sender]) for (const term of trigrams(text)) terms.add(term);
  }
  for (const term of terms) tx.sql('INSERT OR IGNORE INTO search_term (term) VALUES (?)').run(term);
  const last = messages.at(-1);
  if (last) tx.sql('UPDATE search_state SET indexed_to = ?').run(last.received_at);
  return messages.length;
});

async function fillSearchIndex(floor: Floor, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if (floor.store.writes_waiting > 0 && backlogIsShort(floor)) return;
    if ((await floor.store.write(indexSearch, { rows: SLICE })) < SLICE) return;
  }
}

function backlogIsShort({ store }: Floor): boolean {
  const row = store
    .sql('SELECT count(*) AS messages FROM (SELECT 1 FROM message WHERE received_at > ? LIMIT ?)')
    .get(indexedTo(store), BACKLOG_MAX) as { messages: number };
  return row.messages < BACKLOG_MAX;
}

export const search_jobs: readonly Job[] = [
  { name: 'messages.index_search', every_s: 1, run: fillSearchIndex },
];
