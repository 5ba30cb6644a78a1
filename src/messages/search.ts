import { type Reading, readOp } from '../store/operation.ts';
import { asSender, fold, inboxMark, phrase, trigrams } from './search-text.ts';
import { listCondition, type MessageFilter, SUMMARY, type SummaryRow } from './sql.ts';

/*
 * Lists with a text condition: `q`, `subject_contains`, `from` (case-insensitive substrings). It runs in the
 * reader thread. The newest messages are looked through as they are; behind them, where the index is filled
 * (index-search.ts), a trigram index finds the rest, so that a million messages answer like a thousand. What
 * has arrived since the index was last filled belongs to the first part.
 */

/** Messages looked through before the index is asked: a small inbox never needs it, a common word seldom. */
const LOOK_THROUGH = 1_000;
/** A needle of one or two characters stands for every trigram that begins with it; with more, all are looked through. */
const TERMS_MAX = 300;

export interface Search {
  inbox_no: number;
  filter: MessageFilter;
  /** Only messages received before this. */
  before: number;
  limit: number;
}

export const searchMessages = readOp('messages.search', (reading, search: Search): SummaryRow[] => {
  defineContains(reading.database);
  const indexed_to = indexedTo(reading);
  const first = lookThrough(reading, search, search.before, indexed_to, LOOK_THROUGH, search.limit);
  if (first.found.length >= search.limit || first.next === null) return first.found;
  const rest = { ...search, before: first.next, limit: search.limit - first.found.length };
  const match = matchExpression(reading, search);
  if (match === 'none') return first.found;
  if (match === 'any')
    return [...first.found, ...lookThrough(reading, rest, rest.before, 0, Infinity, rest.limit).found];
  return [...first.found, ...askIndex(reading, rest, match)];
});

export interface AccountSearch extends Omit<Search, 'inbox_no'> {
  account_no: number;
}

/** With so many inboxes or fewer, each is asked by its own index; beyond, the account is most of the store. */
const INBOXES_ASKED = 200;

/** The messages of all inboxes of an account as one list, newest first. */
export const searchAccount = readOp(
  'messages.search_account',
  (reading, { account_no, ...wish }: AccountSearch): SummaryRow[] => {
    const inboxes = reading
      .sql(
        'SELECT no FROM inbox INDEXED BY inbox_account WHERE account_no = ? AND deleted_at IS NULL LIMIT ?',
      )
      .all(account_no, INBOXES_ASKED + 1) as { no: number }[];
    if (inboxes.length > INBOXES_ASKED) return lookThroughAll(reading, account_no, wish);
    return inboxes
      .flatMap(({ no }) => searchMessages.run(reading, { ...wish, inbox_no: no }))
      .sort((one, other) => other.received_at - one.received_at)
      .slice(0, wish.limit);
  },
);

function lookThroughAll(
  reading: Reading & { database: import('../store/database.ts').Sqlite },
  account_no: number,
  { filter, before, limit }: Omit<Search, 'inbox_no'>,
): SummaryRow[] {
  defineContains(reading.database);
  const { fits, values } = textCondition(filter);
  return reading
    .sql(
      `SELECT ${SUMMARY}
       FROM message m NOT INDEXED CROSS JOIN inbox i ON i.no = m.inbox_no
       WHERE m.received_at < ? AND i.account_no = ? AND i.deleted_at IS NULL ${listCondition(filter).condition}
         AND ${fits}
       ORDER BY m.received_at DESC
       LIMIT ?`,
    )
    .all(before, account_no, ...values, limit) as SummaryRow[];
}

/** How far the index is filled. */
export function indexedTo(reading: Reading): number {
  return (reading.sql('SELECT indexed_to FROM search_state').get() as { indexed_to: number }).indexed_to;
}

/**
 * Looks through messages newest first, at least `at_least` of them and all that are not indexed.
 * `next` is where to go on before, null when the inbox has no more.
 */
function lookThrough(
  reading: Reading,
  { inbox_no, filter }: Search,
  before: number,
  indexed_to: number,
  at_least: number,
  limit: number,
): { found: SummaryRow[]; next: number | null } {
  const { index, condition } = listCondition(filter);
  const { fits, values } = textCondition(filter);
  const looked = reading.sql(
    `SELECT ${SUMMARY}, ${fits} AS fits
     FROM message m INDEXED BY ${index} CROSS JOIN inbox i ON i.no = m.inbox_no
     WHERE m.inbox_no = ? AND m.received_at < ? ${condition}
     ORDER BY m.received_at DESC`,
  );
  const found: SummaryRow[] = [];
  let seen = 0;
  const newest_first = looked.iterate(...values, inbox_no, before) as Iterable<SummaryRow & { fits: number }>;
  for (const { fits: row_fits, ...row } of newest_first) {
    if (seen >= at_least && row.received_at <= indexed_to) return { found, next: row.received_at + 1 };
    seen += 1;
    if (!row_fits) continue;
    found.push(row);
    if (found.length >= limit) return { found, next: row.received_at };
  }
  return { found, next: null };
}

/** The text conditions that are set, as one expression over a row, and its values. */
function textCondition(filter: MessageFilter): { fits: string; values: string[] } {
  const { q, subject_contains, from } = needles(filter);
  const conditions: [expression: string, values: string[]][] = [
    ['(contains_folded(m.subject, ?) OR contains_folded(m."from", ?))', [q, q]],
    ['contains_folded(m.subject, ?)', [subject_contains]],
    ['contains_folded(m."from", ?)', [from]],
  ];
  const set = conditions.filter(([, [needle]]) => needle !== '');
  return {
    fits: set.map(([expression]) => expression).join(' AND ') || '1',
    values: set.flatMap(([, values]) => values),
  };
}

function askIndex(reading: Reading, { filter, before, limit }: Search, match: string): SummaryRow[] {
  return reading
    .sql(
      `SELECT ${SUMMARY}
       FROM message_search s
       CROSS JOIN message m ON m.received_at = s.rowid
       CROSS JOIN inbox i ON i.no = m.inbox_no
       WHERE s.message_search MATCH ? AND s.rowid < ? ${listCondition(filter).condition}
       ORDER BY s.rowid DESC
       LIMIT ?`,
    )
    .all(match, before, limit) as SummaryRow[];
}

/** The index's question; `none` when nothing can match, `any` when it would be too wide to ask. */
function matchExpression(reading: Reading, { inbox_no, filter }: Search): string | 'none' | 'any' {
  const { q, subject_contains, from } = needles(filter);
  // Each condition is an OR of places in which its needle may stand.
  const conditions: [column: string, needle: string][][] = [
    [
      ['subject', q],
      ['sender', asSender(q)],
    ],
    [['subject', subject_contains]],
    [['sender', asSender(from)]],
  ];
  const parts = [`inbox : ${phrase(inboxMark(inbox_no))}`];
  for (const places of conditions.filter(([place]) => place?.[1] !== '')) {
    const asked = places.map(([column, needle]) => ({ column, terms: termsOf(reading, needle) }));
    if (asked.some(({ terms }) => terms.length > TERMS_MAX)) return 'any';
    const found = asked.filter(({ terms }) => terms.length > 0);
    if (found.length === 0) return 'none';
    parts.push(
      `(${found.map(({ column, terms }) => `${column} : (${terms.map(phrase).join(' OR ')})`).join(' OR ')})`,
    );
  }
  return parts.join(' AND ');
}

/** The needle itself or, when it is too short for the index, every trigram there that begins with it. */
function termsOf(reading: Reading, needle: string): string[] {
  return trigrams(needle).length > 0 ? [needle] : termsFrom(reading, needle);
}

function termsFrom(reading: Reading, needle: string): string[] {
  return (
    reading
      .sql('SELECT term FROM search_term WHERE term >= ? AND term < ? LIMIT ?')
      .all(needle, `${needle}\u{10ffff}`, TERMS_MAX + 1) as { term: string }[]
  ).map(({ term }) => term);
}

/** Folded; empty for a condition that is not set. */
function needles(filter: MessageFilter): { q: string; subject_contains: string; from: string } {
  return {
    q: fold(filter.q ?? ''),
    subject_contains: fold(filter.subject_contains ?? ''),
    from: fold(filter.from ?? ''),
  };
}

const defined = new WeakSet<object>();

function defineContains(database: import('../store/database.ts').Sqlite): void {
  if (defined.has(database)) return;
  defined.add(database);
  database.function('contains_folded', { deterministic: true }, (text, needle) =>
    fold(String(text)).includes(String(needle)) ? 1 : 0,
  );
}
