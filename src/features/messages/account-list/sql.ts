import type { LongReading, Reading, Steps } from '../../../platform/store/operation.ts';
import { chooseListCondition, type MessageFilter, SUMMARY, type SummaryRow } from '../sql.ts';

/*
 * The messages of all inboxes of an account as one list, newest first. There is no index with this order for each
 * filter, because it would make every mail more expensive to store. Instead, the lists of all inboxes, which do have an
 * index, are merged. An account with very many inboxes is often most of the store, so for it the newest messages of the
 * whole store are read first.
 */

type StateFilter = Pick<MessageFilter, 'has_otp' | 'read'>;

export interface AccountList {
  account_no: number;
  filter: StateFilter;
  /** Only messages received before this. */
  before: number;
  limit: number;
}

/** The lists of up to this many inboxes are merged on the main thread, in 10 to 20 µs for each inbox. */
const INBOXES_AT_ONCE = 200;
/** A slice: how many messages of the whole store one statement reads. */
const SLICE_ROWS = 1_000;
/** How many slices are read before the lists of the inboxes are merged. */
const SLICES_MAX = 10;

/** A test checks the query plans of this statement and the next three. */
export const ACCOUNT_INBOXES = `SELECT no
  FROM inbox INDEXED BY inbox_account
  WHERE account_no = ? AND deleted_at IS NULL AND no < ?
  ORDER BY no DESC
  LIMIT ?`;

/** Reads the times of the newest messages of an inbox between two times. A message's time is also its row number. */
export function newestStatement(filter: StateFilter): string {
  const { index, condition } = chooseListCondition(filter);
  return `SELECT m.received_at
    FROM message m INDEXED BY ${index}
    WHERE m.inbox_no = ? AND m.received_at > ? AND m.received_at < ? ${condition}
    ORDER BY m.received_at DESC
    LIMIT ?`;
}

/** Reads the time of the oldest message in the next slice of the store. */
export const STORE_SLICE = `SELECT min(received_at) AS "from", count(*) AS rows
  FROM (SELECT received_at FROM message NOT INDEXED WHERE received_at < ? ORDER BY received_at DESC LIMIT ?)`;

/** Reads the messages in a slice that belong to the account and match. */
export function sliceStatement(filter: StateFilter, fits: string): string {
  return `SELECT ${SUMMARY}
    FROM message m NOT INDEXED CROSS JOIN inbox i ON i.no = m.inbox_no
    WHERE m.received_at >= ? AND m.received_at < ? AND i.account_no = ? AND i.deleted_at IS NULL
      ${chooseListCondition(filter).condition} AND ${fits}
    ORDER BY m.received_at DESC
    LIMIT ?`;
}

/** Returns the list if that takes no longer than a read on the main thread may, else null. */
export function tryListAccount(reading: Reading, asked: AccountList): SummaryRow[] | null {
  const list = freezeList(reading, asked);
  if (hasFewInboxes(reading, list.account_no)) {
    const merged = mergeInboxes({ sql: (text) => reading.sql(text), isTurnOver: () => false }, list).next();
    return merged.done ? merged.value : null;
  }
  const { found, next } = readSlice(reading, list);
  return found.length === list.limit || next === null ? found : null;
}

/** Returns the list, however many inboxes and messages there are. */
export function* listAccount(reading: LongReading, asked: AccountList): Steps<SummaryRow[]> {
  const list = freezeList(reading, asked);
  if (hasFewInboxes(reading, list.account_no)) return yield* mergeInboxes(reading, list);
  const found: SummaryRow[] = [];
  let { before } = list;
  for (let slices = 0; slices < SLICES_MAX; slices++) {
    const slice = readSlice(reading, { ...list, before, limit: list.limit - found.length });
    found.push(...slice.found);
    if (slice.next === null || found.length === list.limit) return found;
    before = slice.next;
    if (reading.isTurnOver()) yield;
  }
  return [...found, ...(yield* mergeInboxes(reading, { ...list, before, limit: list.limit - found.length }))];
}

/**
 * Reads the next slice of the store. Returns the account's matching messages in it, and where the next slice begins
 * (null at the end of the store).
 */
export function readSlice(
  reading: Reading,
  { account_no, filter, before, limit }: AccountList,
  text: { fits: string; values: readonly string[] } = { fits: '1', values: [] },
): { found: SummaryRow[]; next: number | null } {
  const { from, rows } = reading.sql(STORE_SLICE).get(before, SLICE_ROWS) as {
    from: number | null;
    rows: number;
  };
  if (from === null) return { found: [], next: null };
  const found = reading
    .sql(sliceStatement(filter, text.fits))
    .all(from, before, account_no, ...text.values, limit) as SummaryRow[];
  return { found, next: rows < SLICE_ROWS ? null : from };
}

/**
 * Limits a list to messages that have arrived already. While the inboxes are read one by one, it could otherwise
 * include a new message and miss an earlier one, which no later page would have.
 */
function freezeList(reading: Reading, list: AccountList): AccountList {
  const { last_at } = reading.sql('SELECT last_at FROM arrival').get() as { last_at: number };
  return { ...list, before: Math.min(list.before, last_at + 1) };
}

function hasFewInboxes(reading: Reading, accountNo: number): boolean {
  const inboxes = reading.sql(ACCOUNT_INBOXES).all(accountNo, Number.MAX_SAFE_INTEGER, INBOXES_AT_ONCE + 1);
  return inboxes.length <= INBOXES_AT_ONCE;
}

type Merging = Pick<LongReading, 'sql' | 'isTurnOver'>;

function* mergeInboxes(reading: Merging, list: AccountList): Steps<SummaryRow[]> {
  const summary = reading.sql(
    `SELECT ${SUMMARY}
     FROM message m CROSS JOIN inbox i ON i.no = m.inbox_no
     WHERE m.received_at = ? AND i.deleted_at IS NULL`,
  );
  const found: SummaryRow[] = [];
  for (let { before } = list; ; ) {
    const wanted = list.limit - found.length;
    const newest = yield* readNewest(reading, { ...list, before, limit: wanted });
    for (const receivedAt of newest) {
      const row = summary.get(receivedAt) as SummaryRow | undefined;
      // If the message has just been deleted, there is room for an older one.
      if (row) found.push(row);
      before = receivedAt;
    }
    if (newest.length < wanted || found.length === list.limit) return found;
  }
}

/** Returns the times of the newest messages of all inboxes of the account, newest first. */
function* readNewest(reading: Merging, { account_no, filter, before, limit }: AccountList): Steps<number[]> {
  const statement = reading.sql(newestStatement(filter));
  let newest: number[] = [];
  for (let beforeNo = Number.MAX_SAFE_INTEGER; ; ) {
    const inboxes = reading.sql(ACCOUNT_INBOXES).all(account_no, beforeNo, INBOXES_AT_ONCE) as {
      no: number;
    }[];
    for (const { no } of inboxes) {
      // Most inboxes have nothing newer than the messages already found.
      const after = newest.length < limit ? 0 : newest.at(-1)!;
      const newer = statement.all(no, after, before, limit) as { received_at: number }[];
      if (newer.length > 0) {
        newest = newest.concat(newer.map(({ received_at }) => received_at)).sort((one, other) => other - one);
        newest.length = Math.min(newest.length, limit);
      }
      beforeNo = no;
      if (reading.isTurnOver()) yield;
    }
    if (inboxes.length < INBOXES_AT_ONCE) return newest;
  }
}
