import type { LongReading, Reading, Steps } from '../../../platform/store/operation.ts';
import { chooseListCondition, type MessageFilter, SUMMARY, type SummaryRow } from '../sql.ts';

/*
 * The messages of all inboxes of an account as one list, newest first. No index has them in this order for each filter,
 * because it would make every mail more expensive to store. Each inbox's messages are in order, and the newest of all
 * inboxes are merged. An account with very many inboxes is often most of the store, so for it the store's newest
 * messages are read first.
 */

type StateFilter = Pick<MessageFilter, 'has_otp' | 'read'>;

export interface AccountList {
  account_no: number;
  filter: StateFilter;
  /** Only messages received before this. */
  before: number;
  limit: number;
}

/** With at most this many inboxes, their messages are merged at once: 10 to 20 µs for each inbox. */
const INBOXES_AT_ONCE = 200;
/** Messages of the store that one statement reads. */
const LOOK_AT_ONCE = 1_000;
/** How many such statements run before the inboxes are merged. */
const LOOKS_MAX = 10;

/** A test checks the plans of this and the next three. */
export const ACCOUNT_INBOXES = `SELECT no
  FROM inbox INDEXED BY inbox_account
  WHERE account_no = ? AND deleted_at IS NULL AND no < ?
  ORDER BY no DESC
  LIMIT ?`;

/** The newest messages of an inbox between two times, by their numbers alone. */
export function newestStatement(filter: StateFilter): string {
  const { index, condition } = chooseListCondition(filter);
  return `SELECT m.received_at
    FROM message m INDEXED BY ${index}
    WHERE m.inbox_no = ? AND m.received_at > ? AND m.received_at < ? ${condition}
    ORDER BY m.received_at DESC
    LIMIT ?`;
}

/** The time of the oldest of the next LOOK_AT_ONCE messages of the store. */
export const STORE_SLICE = `SELECT min(received_at) AS "from", count(*) AS rows
  FROM (SELECT received_at FROM message NOT INDEXED WHERE received_at < ? ORDER BY received_at DESC LIMIT ?)`;

/** The messages in such a slice that belong to the account and match. */
export function sliceStatement(filter: StateFilter, fits: string): string {
  return `SELECT ${SUMMARY}
    FROM message m NOT INDEXED CROSS JOIN inbox i ON i.no = m.inbox_no
    WHERE m.received_at >= ? AND m.received_at < ? AND i.account_no = ? AND i.deleted_at IS NULL
      ${chooseListCondition(filter).condition} AND ${fits}
    ORDER BY m.received_at DESC
    LIMIT ?`;
}

/** The list, if it takes no longer than the main thread may; else null. */
export function listAccountNow(reading: Reading, asked: AccountList): SummaryRow[] | null {
  const list = endNow(reading, asked);
  if (hasFewInboxes(reading, list.account_no)) {
    const merged = mergeInboxes({ sql: (text) => reading.sql(text), isTurnOver: () => false }, list).next();
    return merged.done ? merged.value : null;
  }
  const { found, next } = lookAtSlice(reading, list);
  return found.length === list.limit || next === null ? found : null;
}

/** The list, however many inboxes and messages there are. */
export function* listAccount(reading: LongReading, asked: AccountList): Steps<SummaryRow[]> {
  const list = endNow(reading, asked);
  if (hasFewInboxes(reading, list.account_no)) return yield* mergeInboxes(reading, list);
  const found: SummaryRow[] = [];
  let { before } = list;
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    const looked = lookAtSlice(reading, { ...list, before, limit: list.limit - found.length });
    found.push(...looked.found);
    if (looked.next === null || found.length === list.limit) return found;
    before = looked.next;
    if (reading.isTurnOver()) yield;
  }
  return [...found, ...(yield* mergeInboxes(reading, { ...list, before, limit: list.limit - found.length }))];
}

/** Reads the next LOOK_AT_ONCE messages of the whole store; `next` is null after its last one. */
export function lookAtSlice(
  reading: Reading,
  { account_no, filter, before, limit }: AccountList,
  text: { fits: string; values: readonly string[] } = { fits: '1', values: [] },
): { found: SummaryRow[]; next: number | null } {
  const { from, rows } = reading.sql(STORE_SLICE).get(before, LOOK_AT_ONCE) as {
    from: number | null;
    rows: number;
  };
  if (from === null) return { found: [], next: null };
  const found = reading
    .sql(sliceStatement(filter, text.fits))
    .all(from, before, account_no, ...text.values, limit) as SummaryRow[];
  return { found, next: rows < LOOK_AT_ONCE ? null : from };
}

/**
 * Leaves out what arrives from now on: while the inboxes are read one by one, the list could include a message and miss
 * an earlier one, which no later page would have.
 */
function endNow(reading: Reading, list: AccountList): AccountList {
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
      // A message that was just deleted leaves room for an older one.
      if (row) found.push(row);
      before = receivedAt;
    }
    if (newest.length < wanted || found.length === list.limit) return found;
  }
}

/** Numbers of the newest messages of all inboxes of the account, newest first. */
function* readNewest(reading: Merging, { account_no, filter, before, limit }: AccountList): Steps<number[]> {
  const statement = reading.sql(newestStatement(filter));
  let newest: number[] = [];
  for (let beforeNo = Number.MAX_SAFE_INTEGER; ; ) {
    const inboxes = reading.sql(ACCOUNT_INBOXES).all(account_no, beforeNo, INBOXES_AT_ONCE) as {
      no: number;
    }[];
    for (const { no } of inboxes) {
      // Most inboxes have nothing newer than what was found in the others.
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
