import { Failure } from '../../platform/core/failure.ts';
import { type LongReading, type Reading, readOp, type Steps } from '../../platform/store/operation.ts';
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

/** Under the field of each condition. */
const TOO_SLOW = 'takes too long to search for; make it longer, or add another condition';

export interface Search {
  inbox_no: number;
  filter: MessageFilter;
  /** Only messages received before this. */
  before: number;
  limit: number;
}

export const searchMessages = readOp('messages.search', searchInbox, tooSlow);

function* searchInbox(reading: LongReading, search: Search): Steps<SummaryRow[]> {
  defineContains(reading.database);
  const upTo = indexedTo(reading);
  const first = yield* lookThrough(reading, search, upTo, LOOK_THROUGH);
  if (first.found.length >= search.limit || first.next === null) return first.found;
  const rest = { ...search, before: first.next, limit: search.limit - first.found.length };
  const question = questionOf(reading, search);
  if (question === 'none') return first.found;
  const found =
    question === 'any'
      ? (yield* lookThrough(reading, rest, 0, Number.POSITIVE_INFINITY)).found
      : yield* askIndex(reading, rest, question);
  return [...first.found, ...found];
}

export interface AccountSearch extends Omit<Search, 'inbox_no'> {
  account_no: number;
}

/** With so many inboxes or fewer, each is asked by its own index; beyond, the account is most of the store. */
const INBOXES_ASKED = 200;

/** The messages of all inboxes of an account as one list, newest first. */
export const searchAccount = readOp('messages.search_account', searchInboxesOf, tooSlow);

function* searchInboxesOf(reading: LongReading, search: AccountSearch): Steps<SummaryRow[]> {
  const { account_no, ...wish } = search;
  const inboxes = reading
    .sql('SELECT no FROM inbox INDEXED BY inbox_account WHERE account_no = ? AND deleted_at IS NULL LIMIT ?')
    .all(account_no, INBOXES_ASKED + 1) as { no: number }[];
  if (inboxes.length > INBOXES_ASKED) return yield* lookThroughAll(reading, search);
  const found: SummaryRow[] = [];
  for (const { no } of inboxes) {
    found.push(...(yield* searchInbox(reading, { ...wish, inbox_no: no })));
    if (reading.isTurnOver()) yield;
  }
  return found.sort((one, other) => other.received_at - one.received_at).slice(0, wish.limit);
}

/** What is said of a search that took too long: the conditions that made it slow, which only the client can change. */
function tooSlow({ filter }: Pick<Search, 'filter'>): Failure {
  const conditions = { q: filter.q, subject_contains: filter.subject_contains, from: filter.from };
  const set = Object.keys(conditions).filter((name) => conditions[name as keyof typeof conditions] !== null);
  // A list without a text can be slow too, where few of very many messages are unread.
  const named = set.length > 0 ? set : ['q'];
  return new Failure('validation_error', {
    fields: Object.fromEntries(named.map((name) => [name, [TOO_SLOW]])),
  });
}

/** Messages of the whole store that one statement looks at, where the account's are most of it. */
const LOOK_AT_ONCE = 1_000;

function* lookThroughAll(
  reading: LongReading,
  { account_no, filter, before, limit }: AccountSearch,
): Steps<SummaryRow[]> {
  defineContains(reading.database);
  const { fits, values } = textCondition(filter);
  const found: SummaryRow[] = [];
  for (let to = before; found.length < limit; ) {
    const { from, rows } = reading
      .sql(
        `SELECT min(received_at) AS "from", count(*) AS rows
         FROM (SELECT received_at FROM message NOT INDEXED
               WHERE received_at < ? ORDER BY received_at DESC LIMIT ?)`,
      )
      .get(to, LOOK_AT_ONCE) as { from: number | null; rows: number };
    if (from === null) break;
    found.push(
      ...(reading
        .sql(
          `SELECT ${SUMMARY}
           FROM message m NOT INDEXED CROSS JOIN inbox i ON i.no = m.inbox_no
           WHERE m.received_at >= ? AND m.received_at < ? AND i.account_no = ? AND i.deleted_at IS NULL
             ${listCondition(filter).condition} AND ${fits}
           ORDER BY m.received_at DESC
           LIMIT ?`,
        )
        .all(from, to, account_no, ...values, limit - found.length) as SummaryRow[]),
    );
    if (rows < LOOK_AT_ONCE) break;
    to = from;
    if (reading.isTurnOver()) yield;
  }
  return found;
}

/** How far the index is filled. */
export function indexedTo(reading: Reading): number {
  return (reading.sql('SELECT indexed_to FROM search_state').get() as { indexed_to: number }).indexed_to;
}

interface Looked {
  found: SummaryRow[];
  /** Where to go on before; null when the inbox has no more. */
  next: number | null;
}

/** Looks through messages newest first, at least `atLeast` of them and all that are not indexed. */
function* lookThrough(
  reading: LongReading,
  { inbox_no, filter, limit, ...search }: Search,
  upTo: number,
  atLeast: number,
): Steps<Looked> {
  const { index, condition, values: indexed } = listCondition(filter);
  const { fits, values } = textCondition(filter);
  const looked = reading.sql(
    `SELECT ${SUMMARY}, ${fits} AS fits
     FROM message m INDEXED BY ${index} CROSS JOIN inbox i ON i.no = m.inbox_no
     WHERE m.inbox_no = ? AND m.received_at < ? ${condition}
     ORDER BY m.received_at DESC`,
  );
  let seen = 0;
  const isEnough = ({ received_at }: SummaryRow) => seen++ >= atLeast && received_at <= upTo;
  const found: SummaryRow[] = [];
  // When its turn is over it closes the statement, and asks anew from there at the next one.
  for (let { before } = search; ; yield) {
    let isCut = false;
    for (const { fits, ...row } of looked.iterate(
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

/** A row that may be one of those sought. */
type Candidate = SummaryRow & { fits: number };

type Texts = Pick<SummaryRow, 'subject' | 'from'>;

/** The text conditions that are set, as a check of one message's texts. */
function textFits(filter: MessageFilter): (texts: Texts) => boolean {
  const { q, subject_contains, from } = needles(filter);
  return (texts) => {
    const subject = fold(texts.subject);
    if (!subject.includes(subject_contains)) return false;
    if (from === '' && (q === '' || subject.includes(q))) return true;
    const sender = fold(texts.from);
    return sender.includes(from) && (subject.includes(q) || sender.includes(q));
  };
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

/** Candidates of the first question, each checked as it arrives: mostly they fill the page, or are all there are. */
const FIRST_CANDIDATES = 256;
/** Each further question asks for more, up to this many terms times candidates: 0.4 µs each, all in one turn. */
const FURTHER = { times: 4, termsMax: 24_000 };

/**
 * What the index finds has the trigrams of the text somewhere; whether it has the text itself, the message says. A
 * question costs tens of milliseconds in a store of a million messages, wherever it begins, so it is asked for the
 * numbers of many candidates at once, and those are looked at in turns.
 */
function* askIndex(
  reading: LongReading,
  { inbox_no, filter, before, limit }: Search,
  { match, terms }: Question,
): Steps<SummaryRow[]> {
  const fits = textFits(filter);
  const { condition, values } = listCondition(filter);
  // The texts alone first: most candidates fail here, and their other columns need not be read.
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

/** What the index is asked, and how many terms that has. */
interface Question {
  match: string;
  terms: number;
}

/** `none` when nothing can match, `any` when the question would be too wide. */
function questionOf(reading: Reading, { inbox_no, filter }: Search): Question | 'none' | 'any' {
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
  let count = 1;
  for (const places of conditions.filter(([place]) => place?.[1] !== '')) {
    const asked = places.map(([column, needle]) => ({ column, ...termsOf(reading, needle) }));
    if (asked.some(({ terms }) => terms.length > TERMS_MAX)) return 'any';
    const found = asked.filter(({ terms }) => terms.length > 0);
    if (found.length === 0) return 'none';
    for (const { terms } of found) count += terms.length;
    parts.push(
      `(${found.map(({ column, terms, is_all }) => `${column} : (${terms.map(phrase).join(is_all ? ' AND ' : ' OR ')})`).join(' OR ')})`,
    );
  }
  return { match: parts.join(' AND '), terms: count };
}

/**
 * Trigrams of one needle that the index is asked for: each costs a look at every message that has the others, and each
 * that is left out may be the one that few messages have.
 */
const TRIGRAMS_MAX = 100;

/**
 * The needle's trigrams, all of which a message must have or, when the needle is too short for one, every trigram there
 * that begins with it, of which it must have any. Not the needle as a phrase: to compare the places of trigrams within
 * subjects that repeat them takes milliseconds a message, in which nobody else can be served.
 */
function termsOf(reading: Reading, needle: string): { terms: string[]; is_all: boolean } {
  const all = [...new Set(trigrams(needle))];
  if (all.length === 0) return { terms: termsFrom(reading, needle), is_all: false };
  const step = Math.max(1, (all.length - 1) / (TRIGRAMS_MAX - 1));
  const terms = Array.from(
    { length: Math.min(all.length, TRIGRAMS_MAX) },
    (_, at) => all[Math.floor(at * step)]!,
  );
  return { terms, is_all: true };
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

function defineContains(database: import('../../platform/store/database.ts').Sqlite): void {
  if (defined.has(database)) return;
  defined.add(database);
  database.function('contains_folded', { deterministic: true }, (text, needle) =>
    fold(String(text)).includes(String(needle)) ? 1 : 0,
  );
}
