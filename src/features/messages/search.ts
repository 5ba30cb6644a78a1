import { Failure } from '../../platform/core/failure.ts';
import { type LongReading, type Reading, readOp, type Steps } from '../../platform/store/operation.ts';
import { fold } from '../../rules/fold.ts';
import { listAccount, readSlice } from './account-list/sql.ts';
import { listSpellings, markInbox, markSender, quotePhrase, splitTrigrams } from './search-text.ts';
import { chooseListCondition, type MessageFilter, SUMMARY, type SummaryRow } from './sql.ts';

/*
 * Lists with a text condition: `q`, `subject_contains` or `from` (case-insensitive substrings). They run on the reader
 * thread. The newest messages are scanned, including all that index-search.ts has not indexed yet. A trigram index
 * finds the others, so that a search in a million messages takes as long as one in a thousand.
 */

/** How many messages are scanned before the index is used. A small inbox never needs it, a common word rarely. */
const SCAN_FIRST = 1_000;
/**
 * A needle of one or two characters is expanded into all trigrams that begin with it. With more of them, we scan
 * instead.
 */
const TERMS_MAX = 300;

/** The reason under the field of each condition. */
const TOO_SLOW = 'takes too long to search for; make it longer, or add another condition';

export interface Search {
  inbox_no: number;
  filter: MessageFilter;
  /** Only messages received before this. */
  before: number;
  limit: number;
}

export const searchMessages = readOp('messages.search', searchInbox, makeTooSlow);

function* searchInbox(reading: LongReading, search: Search): Steps<SummaryRow[]> {
  defineContains(reading.database);
  const upTo = readIndexedTo(reading);
  const first = yield* scanInbox(reading, search, upTo, SCAN_FIRST);
  if (first.found.length >= search.limit || first.next === null) return first.found;
  const rest = { ...search, before: first.next, limit: search.limit - first.found.length };
  const query = buildIndexQuery(reading, search);
  if (query === 'none') return first.found;
  const found =
    query === 'any'
      ? (yield* scanInbox(reading, rest, 0, Number.POSITIVE_INFINITY)).found
      : yield* queryIndex(reading, rest, query);
  return [...first.found, ...found];
}

export interface AccountSearch extends Omit<Search, 'inbox_no'> {
  account_no: number;
}

/**
 * Up to this many inboxes are searched one by one. An account with more is probably most of the store, which is
 * scanned.
 */
const INBOXES_SEARCHED_MAX = 200;

/** The messages of all inboxes of an account as one list, newest first. */
export const searchAccount = readOp('messages.search_account', searchInboxesOf, makeTooSlow);

function* searchInboxesOf(reading: LongReading, search: AccountSearch): Steps<SummaryRow[]> {
  const { account_no, ...input } = search;
  if (!hasText(search.filter)) return yield* listAccount(reading, search);
  const inboxes = reading
    .sql('SELECT no FROM inbox INDEXED BY inbox_account WHERE account_no = ? AND deleted_at IS NULL LIMIT ?')
    .all(account_no, INBOXES_SEARCHED_MAX + 1) as { no: number }[];
  if (inboxes.length > INBOXES_SEARCHED_MAX) return yield* scanStore(reading, search);
  const found: SummaryRow[] = [];
  for (const { no } of inboxes) {
    found.push(...(yield* searchInbox(reading, { ...input, inbox_no: no })));
    if (reading.isTurnOver()) yield;
  }
  return found.sort((one, other) => other.received_at - one.received_at).slice(0, input.limit);
}

/**
 * Returns the failure of a search that took too long. It names the conditions that made it slow, so that the client can
 * change them.
 */
function makeTooSlow({ filter }: Pick<Search, 'filter'>): Failure {
  const conditions = { q: filter.q, subject_contains: filter.subject_contains, from: filter.from };
  const set = Object.keys(conditions).filter((name) => conditions[name as keyof typeof conditions] !== null);
  // A list without a text can also be slow, when few of very many messages are unread.
  const named = set.length > 0 ? set : ['q'];
  return new Failure('validation_error', {
    fields: Object.fromEntries(named.map((name) => [name, [TOO_SLOW]])),
  });
}

/** Scans the messages of the whole store for those of the account. */
function* scanStore(reading: LongReading, search: AccountSearch): Steps<SummaryRow[]> {
  defineContains(reading.database);
  const text = makeTextCondition(search.filter);
  const found: SummaryRow[] = [];
  for (let next: number | null = search.before; next !== null && found.length < search.limit; ) {
    const slice = readSlice(reading, { ...search, before: next, limit: search.limit - found.length }, text);
    found.push(...slice.found);
    next = slice.next;
    if (reading.isTurnOver()) yield;
  }
  return found;
}

/** The time up to which messages are indexed. */
export function readIndexedTo(reading: Reading): number {
  return (reading.sql('SELECT indexed_to FROM search_state').get() as { indexed_to: number }).indexed_to;
}

interface Scanned {
  found: SummaryRow[];
  /** Where to continue; null if the inbox has no more messages. */
  next: number | null;
}

/** Scans messages newest first: at least `atLeast` of them, and all that are not indexed. */
function* scanInbox(
  reading: LongReading,
  { inbox_no, filter, limit, ...search }: Search,
  upTo: number,
  atLeast: number,
): Steps<Scanned> {
  const { index, condition, values: indexed } = chooseListCondition(filter);
  const { fits, values } = makeTextCondition(filter);
  const statement = reading.sql(
    `SELECT ${SUMMARY}, ${fits} AS fits
     FROM message m INDEXED BY ${index} CROSS JOIN inbox i ON i.no = m.inbox_no
     WHERE m.inbox_no = ? AND m.received_at < ? ${condition}
     ORDER BY m.received_at DESC`,
  );
  let seen = 0;
  const isEnough = ({ received_at }: SummaryRow) => seen++ >= atLeast && received_at <= upTo;
  const found: SummaryRow[] = [];
  // At the end of its turn it closes the statement. The next turn continues with a new one.
  for (let { before } = search; ; yield) {
    let isCut = false;
    for (const { fits, ...row } of statement.iterate(
      ...values,
      inbox_no,
      before,
      ...indexed,
    ) as Iterable<Candidate>) {
      if (isEnough(row)) return { found, next: row.received_at + 1 };
      before = row.received_at;
      if (fits) found.push(row);
      if (found.length >= limit) return { found, next: before };
      isCut = reading.isTurnOver();
      if (isCut) break;
    }
    if (!isCut) return { found, next: null };
  }
}

/** A row that may match. */
type Candidate = SummaryRow & { fits: number };

type Texts = Pick<SummaryRow, 'subject' | 'from'>;

/** Returns a function that checks a message's texts by the text conditions that are set. */
function makeTextFilter(filter: MessageFilter): (texts: Texts) => boolean {
  const { q, subject_contains, from } = foldNeedles(filter);
  return (texts) => {
    const subject = fold(texts.subject);
    if (!subject.includes(subject_contains)) return false;
    if (from === '' && (q === '' || subject.includes(q))) return true;
    const sender = fold(texts.from);
    return sender.includes(from) && (subject.includes(q) || sender.includes(q));
  };
}

/** Returns the text conditions that are set as one SQL expression over a row, with the values that it binds. */
function makeTextCondition(filter: MessageFilter): { fits: string; values: string[] } {
  const { q, subject_contains, from } = foldNeedles(filter);
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

/** Candidates of the first query, checked as they arrive. Usually they fill the page, or there are no others. */
const FIRST_CANDIDATES = 256;
/** Each further query asks for `times` more, up to `termsMax` terms times candidates: 0.4 µs each, all in one turn. */
const FURTHER = { times: 4, termsMax: 24_000 };

/**
 * Finds messages with the index. It knows which messages contain the trigrams of the text; only the message shows
 * whether it contains the text itself. A query costs tens of milliseconds in a store of a million messages, wherever it
 * starts. So each one fetches the numbers of many candidates, which are then checked in turns.
 */
function* queryIndex(
  reading: LongReading,
  { inbox_no, filter, before, limit }: Search,
  { match, terms }: IndexQuery,
): Steps<SummaryRow[]> {
  const fits = makeTextFilter(filter);
  const { condition, values } = chooseListCondition(filter);
  // Reads just the texts first, because most candidates fail here.
  const texts = reading.sql(
    `SELECT m.subject, m."from" FROM message m WHERE m.received_at = ? AND m.inbox_no = ? ${condition}`,
  );
  const summary = reading.sql(
    `SELECT ${SUMMARY} FROM message m CROSS JOIN inbox i ON i.no = m.inbox_no WHERE m.received_at = ?`,
  );
  const candidates = reading.sql(
    `SELECT rowid AS received_at FROM message_search
     WHERE message_search MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?`,
  );
  const found: SummaryRow[] = [];
  let to = before;
  let seen = 0;
  const isEnough = ({ received_at }: { received_at: number }) => {
    const text = texts.get(received_at, inbox_no, ...values) as Texts | undefined;
    // A message may be deleted between the two reads.
    const row = text && fits(text) ? (summary.get(received_at) as SummaryRow | undefined) : undefined;
    if (row) found.push(row);
    to = received_at;
    seen++;
    return found.length >= limit;
  };
  if (reading.isTurnOver()) yield;
  for (const one of candidates.iterate(match, to, FIRST_CANDIDATES) as Iterable<{ received_at: number }>) {
    if (isEnough(one)) return found;
  }
  for (let rows = FIRST_CANDIDATES; seen === rows; ) {
    yield;
    rows = Math.min(rows * FURTHER.times, Math.ceil(FURTHER.termsMax / terms));
    seen = 0;
    for (const one of candidates.all(match, to, rows) as { received_at: number }[]) {
      if (reading.isTurnOver()) yield;
      if (isEnough(one)) return found;
    }
  }
  return found;
}

interface IndexQuery {
  /** The FTS5 expression. */
  match: string;
  /** How many terms it has. */
  terms: number;
}

/** Returns the query, `none` if nothing can match, or `any` if the query would be too wide. */
function buildIndexQuery(reading: Reading, { inbox_no, filter }: Search): IndexQuery | 'none' | 'any' {
  const { q, subject_contains, from } = foldNeedles(filter);
  // Each condition is an OR of the columns in which its needle may be.
  const conditions: [column: string, needle: string][][] = [
    [
      ['subject', q],
      ['sender', markSender(q)],
    ],
    [['subject', subject_contains]],
    [['sender', markSender(from)]],
  ];
  const parts = [`inbox : ${quotePhrase(markInbox(inbox_no))}`];
  let count = 1;
  for (const places of conditions.filter(([place]) => place?.[1] !== '')) {
    const expanded = places.map(([column, needle]) => ({ column, groups: findTerms(reading, needle) }));
    if (expanded.some(({ groups }) => groups.flat().length > TERMS_MAX)) return 'any';
    const found = expanded.filter(({ groups }) => groups.every((group) => group.length > 0));
    if (found.length === 0) return 'none';
    for (const { groups } of found) count += groups.flat().length;
    parts.push(`(${found.map(({ column, groups }) => `${column} : (${joinGroups(groups)})`).join(' OR ')})`);
  }
  return { match: parts.join(' AND '), terms: count };
}

const joinGroups = (groups: readonly string[][]) =>
  groups.map((group) => `(${group.map(quotePhrase).join(' OR ')})`).join(' AND ');

/** Bounds the trigrams of one needle. Each is compared with every match of the others, but might be the rare one. */
const TRIGRAMS_MAX = 100;

/**
 * Returns the trigrams of a needle in groups; a message must have one of each group. A needle that is too short for a
 * trigram is expanded into every indexed trigram that begins with it. The needle is not queried as a phrase, because
 * comparing positions in subjects that repeat its trigrams takes milliseconds per message and blocks everyone else.
 */
function findTerms(reading: Reading, needle: string): string[][] {
  const all = [...new Set(splitTrigrams(needle))];
  if (all.length === 0) return [listSpellings(needle).flatMap((start) => listTermsFrom(reading, start))];
  const step = Math.max(1, (all.length - 1) / (TRIGRAMS_MAX - 1));
  return Array.from({ length: Math.min(all.length, TRIGRAMS_MAX) }, (_, at) =>
    listSpellings(all[Math.floor(at * step)]!),
  );
}

function listTermsFrom(reading: Reading, needle: string): string[] {
  return (
    reading
      .sql('SELECT term FROM search_term WHERE term >= ? AND term < ? LIMIT ?')
      .all(needle, `${needle}\u{10ffff}`, TERMS_MAX + 1) as { term: string }[]
  ).map(({ term }) => term);
}

/** Whether a filter has a text condition. Without one, the list is read from an index. */
export function hasText({ q, subject_contains, from }: MessageFilter): boolean {
  return q !== null || subject_contains !== null || from !== null;
}

/** Returns the folded text of each condition; empty if it is not set. */
function foldNeedles(filter: MessageFilter): { q: string; subject_contains: string; from: string } {
  return {
    q: fold(filter.q ?? ''),
    subject_contains: fold(filter.subject_contains ?? ''),
    from: fold(filter.from ?? ''),
  };
}

const defined = new WeakSet<object>();

function defineContains(database: import('../../platform/store/database.ts').Sqlite): void {
  if (defined.has(database)) return;
  defined.add(database);
  database.function('contains_folded', { deterministic: true }, (text, needle) =>
    fold(String(text)).includes(String(needle)) ? 1 : 0,
  );
}
