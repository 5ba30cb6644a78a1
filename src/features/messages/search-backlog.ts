import type { Reading } from '../../platform/store/operation.ts';
import { countArrived } from './sql.ts';

/** How many unindexed messages may wait for a pause in the mail. */
const BACKLOG_MAX = 20_000;
/** Messages counted at a time: their pages are read on the event loop. */
const COUNTED_AT_ONCE = 5_000;

interface Count {
  /** The time up to which messages are indexed. */
  indexedTo: number;
  /** The time up to which the others are counted. */
  countedTo: number;
  messages: number;
}

const counts = new WeakMap<Reading, Count>();

/**
 * Whether few enough messages have come after `indexedTo`. In a flood this is asked every second, so each message is
 * counted only once, and in a long flood only some at a time.
 */
export function isBacklogShort(store: Reading, indexedTo: number): boolean {
  let count = counts.get(store);
  if (count?.indexedTo !== indexedTo) {
    count = { indexedTo, countedTo: indexedTo, messages: 0 };
    counts.set(store, count);
  }
  const rows = Math.min(COUNTED_AT_ONCE, BACKLOG_MAX - count.messages);
  const { messages, last } = countArrived(store, count.countedTo, rows);
  count.messages += messages;
  count.countedTo = last ?? count.countedTo;
  return count.messages < BACKLOG_MAX;
}
