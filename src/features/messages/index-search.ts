import { type Job, untilNoneGently } from '../../platform/job.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { jobOp, STEP_MS_MAX } from '../../platform/store/operation.ts';
import { indexedTo } from './search.ts';
import { asSender, inboxMark, indexText, trigrams } from './search-text.ts';

/*
 * Fills the search index behind the mail: not on the way of a message, where it would cost a quarter of the rate.
 * While mail floods in it waits, but never so long that a search would have to look through too many messages.
 */

/** Messages that one transaction takes up; it ends sooner when they take long. */
const SLICE = 200;
/** Messages that may wait for a pause in the mail. */
const BACKLOG_MAX = 20_000;
/** Pages of the index that a merge writes between two looks at the time; with many deleted entries it reads far more. */
const MERGE_PAGES = 1;

/** Indexes the next messages; gives how many that were. */
export const indexSearch = jobOp('messages.index_search', (tx, { rows }: { rows: number }): number => {
  const beganMs = performance.now();
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
  let indexed = 0;
  let upTo = 0;
  for (const { received_at, inbox_no, ...message } of messages) {
    if (indexed > 0 && performance.now() - beganMs > STEP_MS_MAX) break;
    const subject = indexText(message.subject);
    const sender = asSender(indexText(message.sender));
    tx.sql('INSERT INTO message_search (rowid, inbox, subject, sender) VALUES (?, ?, ?, ?)').run(
      received_at,
      inboxMark(inbox_no),
      subject,
      sender,
    );
    for (const text of [subject, sender]) for (const term of trigrams(text)) terms.add(term);
    indexed += 1;
    upTo = received_at;
  }
  for (const term of terms) tx.sql('INSERT OR IGNORE INTO search_term (term) VALUES (?)').run(term);
  if (indexed > 0) tx.sql('UPDATE search_state SET indexed_to = ?').run(upTo);
  return indexed;
});

/**
 * Merges segments of the index for a few milliseconds; gives how many pieces it did. FTS5 by itself merges on the way
 * of an insert or a delete, and held the writer for up to 300 ms (migration 0009 turns that off).
 */
export const mergeSearch = jobOp('messages.merge_search', (tx, _: null): number => {
  const beganMs = performance.now();
  const merge = tx.sql("INSERT INTO message_search (message_search, rank) VALUES ('merge', ?)");
  const changes = tx.sql('SELECT total_changes() AS n');
  let pieces = 0;
  while (performance.now() - beganMs < STEP_MS_MAX) {
    const { n: before } = changes.get() as { n: number };
    merge.run(MERGE_PAGES);
    const { n: after } = changes.get() as { n: number };
    // The command itself counts as one change (https://sqlite.org/fts5.html, the 'merge' command).
    if (after - before < 2) break;
    pieces += 1;
  }
  return pieces;
});

async function fillSearchIndex(services: PlatformServices, signal: AbortSignal): Promise<void> {
  // What it would write is not worth the last space; searches look through what is not indexed yet.
  if (services.store.reserve?.isSpent()) return;
  while (!signal.aborted) {
    if (services.store.writesWaiting > 0 && backlogIsShort(services)) return;
    if ((await services.store.write(indexSearch, { rows: SLICE })) === 0) break;
    await services.store.write(mergeSearch, null);
  }
  await untilNoneGently(signal, () => services.store.write(mergeSearch, null));
}

function backlogIsShort({ store }: PlatformServices): boolean {
  const row = store
    .sql('SELECT count(*) AS messages FROM (SELECT 1 FROM message WHERE received_at > ? LIMIT ?)')
    .get(indexedTo(store), BACKLOG_MAX) as { messages: number };
  return row.messages < BACKLOG_MAX;
}

export const searchJobs: readonly Job[] = [
  { name: 'messages.index_search', everyS: 1, run: fillSearchIndex },
];
