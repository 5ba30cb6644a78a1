import type { Reading } from '../../../platform/store/operation.ts';
import type { SenderMode } from '../../../rules/senders.ts';
import type { ListedEntry } from './judge.ts';

/** Values of inbox.senders, which show whether the lists have to be read at all. */
export const senderStates = { unlisted: 0, blocks: 1, allowed_only: 2 } as const;

export function readMode(state: number): SenderMode {
  return state === senderStates.allowed_only ? 'allowed_only' : 'everyone';
}

export interface SenderLists {
  mode: SenderMode;
  allow: string[];
  block: string[];
}

/** The lists of a live inbox, each in alphabetical order. */
export function readSenderLists(reading: Reading, inboxNo: number): SenderLists {
  const { senders } = reading.sql('SELECT senders FROM inbox WHERE no = ?').get(inboxNo) as {
    senders: number;
  };
  const entries = reading
    .sql('SELECT entry, list FROM sender_entry WHERE inbox_no = ? ORDER BY entry')
    .all(inboxNo) as ListedEntry[];
  const pick = (wanted: ListedEntry['list']) =>
    entries.filter(({ list }) => list === wanted).map(({ entry }) => entry);
  return { mode: readMode(senders), allow: pick('allow'), block: pick('block') };
}

/** A test checks its query plan, because it runs for each mail to an inbox with lists. */
export const LISTED_ENTRIES = `SELECT e.entry, e.list
  FROM json_each(?) AS candidate CROSS JOIN sender_entry e ON e.inbox_no = ? AND e.entry = candidate.value`;

/** Returns those of the candidates that an inbox lists. */
export function findListed(reading: Reading, inboxNo: number, candidates: readonly string[]): ListedEntry[] {
  return reading.sql(LISTED_ENTRIES).all(JSON.stringify(candidates), inboxNo) as ListedEntry[];
}
