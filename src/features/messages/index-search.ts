import { SECOND_US } from '../../platform/core/clock.ts';
import { type Job, repeatAtHalfPace, writeWithRoom } from '../../platform/job.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { repeatableOp, STEP_MS_MAX, type Tx, takeWithinStep } from '../../platform/store/operation.ts';
import { indexTextOp, readTextIndexedTo } from './query/writes.ts';
import { readIndexedTo } from './search.ts';
import { isBacklogShort } from './search-backlog.ts';
import { formatIndexText, markInbox, markSender, splitTrigrams } from './search-text.ts';

/*
 * Fills the search index in the background: doing it as messages arrive would lower their rate by a quarter. It pauses
 * while mail floods in, but not so long that a search would have too many unindexed messages to scan.
 */

/** Messages per transaction; fewer if they take long. */
const SLICE = 200;
/** This many messages within this time are a flood. */
const FLOOD_MIN = 50;
const FLOOD_WITHIN_US = SECOND_US;
/**
 * Pages of the index that a merge writes between two checks of the time. With many deleted entries it reads far more.
 */
const MERGE_PAGES = 1;
/** Merges between two slices. */
const MERGES_MAX = 4;

/** Indexes the next messages. Returns how many. */
export const indexSearch = repeatableOp('messages.index_search', (tx, { rows }: { rows: number }): number => {
  const messages = tx
    .sql(
      `SELECT received_at, inbox_no, subject, "from" AS sender
       FROM message
       WHERE received_at > ?
       ORDER BY received_at
       LIMIT ?`,
    )
    .all(readIndexedTo(tx), rows) as {
    received_at: number;
    inbox_no: number;
    subject: string;
    sender: string;
  }[];
  const terms = new Set<string>();
  let indexed = 0;
  let upTo = 0;
  for (const { received_at, inbox_no, ...message } of takeWithinStep(messages)) {
    const subject = formatIndexText(message.subject);
    const sender = markSender(formatIndexText(message.sender));
    tx.sql('INSERT INTO message_search (rowid, inbox, subject, sender) VALUES (?, ?, ?, ?)').run(
      received_at,
      markInbox(inbox_no),
      subject,
      sender,
    );
    for (const text of [subject, sender]) for (const term of splitTrigrams(text)) terms.add(term);
    indexed += 1;
    upTo = received_at;
  }
  for (const term of terms) tx.sql('INSERT OR IGNORE INTO search_term (term) VALUES (?)').run(term);
  if (indexed > 0) tx.sql('UPDATE search_state SET indexed_to = ?').run(upTo);
  return indexed;
});

/**
 * Merges segments of the index for a few milliseconds. Returns the number of steps. FTS5's automatic merging, which
 * migration 0009 turns off, runs during inserts and deletes and held the writer for up to 300 ms.
 */
export const mergeSearch = repeatableOp('messages.merge_search', (tx, _: null): number => {
  // Each index gets half of the time, the larger one first.
  return (
    mergeFor(tx, 'message_search_text', STEP_MS_MAX / 2) + mergeFor(tx, 'message_search', STEP_MS_MAX / 2)
  );
});

function mergeFor(tx: Tx, table: 'message_search' | 'message_search_text', msMax: number): number {
  const beganMs = performance.now();
  const merge = tx.sql(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`);
  const changes = tx.sql('SELECT total_changes() AS n');
  let pieces = 0;
  while (performance.now() - beganMs < msMax) {
    const { n: before } = changes.get() as { n: number };
    merge.run(MERGE_PAGES);
    const { n: after } = changes.get() as { n: number };
    // The command itself counts as one change (https://sqlite.org/fts5.html, the 'merge' command).
    if (after - before < 2) break;
    pieces += 1;
  }
  return pieces;
}

async function fillSearchIndex(services: PlatformServices, signal: AbortSignal): Promise<void> {
  // The index is not worth the last disk space: searches scan messages that are not indexed.
  if (services.store.reserve?.isSpent()) return;
  // Messages that arrive during this run wait for the next one: indexed a few at a time, each would cost much more.
  const newest = readNewest(services);
  while (!signal.aborted && readIndexedByBoth(services) < newest) {
    if (isMailFloodingIn(services) && isBacklogShort(services.store, readIndexedByBoth(services))) return;
    const subjects = await writeWithRoom(services, indexSearch, { rows: SLICE });
    const texts = await writeWithRoom(services, indexTextOp, { rows: SLICE });
    if (subjects + texts === 0) break;
    // A body is ten times the work of a subject. If its segments are not merged here, an insert merges them all at
    // once.
    for (let times = 0; times < MERGES_MAX; times++) {
      if ((await writeWithRoom(services, mergeSearch, null)) === 0) break;
    }
  }
  await repeatAtHalfPace(signal, () => writeWithRoom(services, mergeSearch, null));
}

function readNewest({ store }: PlatformServices): number {
  return (store.sql('SELECT max(received_at) AS at FROM message').get() as { at: number | null }).at ?? 0;
}

/** The time up to which both indexes have every message. */
function readIndexedByBoth({ store }: PlatformServices): number {
  return Math.min(readIndexedTo(store), readTextIndexedTo(store));
}

/** Counts messages, because waiting writes show little: between two groups of a flood there are none. */
function isMailFloodingIn({ store, clock }: PlatformServices): boolean {
  if (store.writesWaiting > 0) return true;
  const nowUs = clock.nowUs();
  // Not those of the far future, which are from before the clock was set back.
  const row = store
    .sql('SELECT count(*) AS messages FROM (SELECT 1 FROM message WHERE received_at BETWEEN ? AND ? LIMIT ?)')
    .get(nowUs - FLOOD_WITHIN_US, nowUs + FLOOD_WITHIN_US, FLOOD_MIN) as { messages: number };
  return row.messages === FLOOD_MIN;
}

export const searchJobs: readonly Job[] = [
  { name: 'messages.index_search', everyS: 1, run: fillSearchIndex },
];
