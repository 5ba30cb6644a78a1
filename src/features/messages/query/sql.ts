import { Failure } from '../../../platform/core/failure.ts';
import type { ContentColumns } from '../../../platform/mail/stored-mail.ts';
import { type LongReading, type Reading, readOp, type Steps } from '../../../platform/store/operation.ts';
import type { SearchTerm } from '../../../rules/search-language.ts';
import { chooseListCondition, type MessageFilter, SUMMARY, type SummaryRow } from '../sql.ts';
import { type FoundMessage, isInbox, makeSearchMatcher } from './check.ts';
import { NO_CONTENT, readSearchedContent } from './content.ts';
import type { SearchedContent } from './document.ts';
import { buildIndexQuery, EXPANDED_MAX, type IndexQuery, type SearchScope } from './index-query.ts';
import { readTextIndexedTo } from './writes.ts';

/*
 * Lists of messages with `search`, on the reader thread. Messages that are not indexed yet are scanned; the index finds
 * the others. Each candidate is compared by its own texts, so the index never changes the result.
 */

export interface QuerySearch {
  scope: SearchScope;
  terms: readonly SearchTerm[];
  filter: MessageFilter;
  /** Only messages received before this. */
  before: number;
  limit: number;
}

const TOO_SLOW = 'takes too long; add a longer word, from:, or before: and after:';

export const searchByQuery = readOp(
  'messages.search_by_query',
  findByQuery,
  () => new Failure('validation_error', { fields: { search: [TOO_SLOW] } }),
);

function* findByQuery(reading: LongReading, search: QuerySearch): Steps<SummaryRow[]> {
  const times = search.terms.filter((term) => term.kind === 'time' && !term.not);
  const edges = (side: 'before' | 'after') =>
    times.flatMap((term) => (term.kind === 'time' && term.side === side ? [term.at] : []));
  const before = Math.min(search.before, ...edges('before').map(Math.ceil));
  const after = Math.max(0, ...edges('after').map(Math.ceil));
  const run = new SearchRun(reading, search, after);
  const tag = search.terms.find((term) => term.kind === 'tag' && !term.not);
  if (tag?.kind === 'tag') yield* run.readTagged(tag.tag, before);
  else {
    const upTo = readTextIndexedTo(reading);
    const query = buildIndexQuery(search.scope, search.terms, {
      listInboxes: (needle) => listInboxes(reading, search.scope, needle),
      listTrigrams: (start) => listTrigrams(reading, start),
    });
    if (query === 'any') yield* run.scan(before, after);
    else {
      yield* run.scan(before, Math.max(after, upTo + 1));
      if (query !== 'none') yield* run.queryIndex(query, Math.min(before, upTo + 1));
    }
  }
  return run.found;
}

/**
 * An account with more inboxes than this is not searched by the names of its inboxes: the query would have too many
 * terms.
 */
const INBOXES_MAX = 200;

function listInboxes(reading: Reading, scope: SearchScope, needle: string): number[] | null {
  // In a list of one inbox, comparing the messages is enough.
  if ('inbox_no' in scope) return null;
  const rows = reading
    .sql(
      `SELECT no, address, label FROM inbox INDEXED BY inbox_account
       WHERE account_no = ? AND deleted_at IS NULL
       LIMIT ?`,
    )
    .all(scope.account_no, INBOXES_MAX + 1) as { no: number; address: string; label: string }[];
  if (rows.length > INBOXES_MAX) return null;
  return rows.filter((row) => isInbox(row, needle)).map(({ no }) => no);
}

function listTrigrams(reading: Reading, start: string): string[] {
  const rows = reading
    .sql('SELECT term FROM search_text_term WHERE term >= ? AND term < ? LIMIT ?')
    .all(start, `${start}\u{10ffff}`, EXPANDED_MAX + 1) as { term: string }[];
  return rows.map(({ term }) => term);
}

const CANDIDATE = `${SUMMARY}, m.raw_no, i.address, i.label`;
type CandidateRow = FoundMessage & { raw_no: number };

/** Reads the messages of a scope for a scan. A test checks the query plans of this statement and the next three. */
export function scanStatement(scope: SearchScope, filter: MessageFilter): string {
  const isUnread = filter.read === false ? '_unread' : '';
  const { index, condition } =
    'inbox_no' in scope
      ? chooseListCondition(filter)
      : {
          index: `message_account${isUnread}`,
          condition: isUnread && 'AND m.read_at IS NULL',
        };
  return `SELECT ${CANDIDATE}
    FROM message m INDEXED BY ${index} CROSS JOIN inbox i ON i.no = m.inbox_no
    WHERE m.${'inbox_no' in scope ? 'inbox_no' : 'account_no'} = ? AND m.received_at < ? AND m.received_at >= ?
      ${condition} AND i.deleted_at IS NULL
    ORDER BY m.received_at DESC`;
}

/** Reads one message by its number, if it is in the scope. */
export function candidateStatement(scope: SearchScope, filter: MessageFilter): string {
  return `SELECT ${CANDIDATE}
    FROM message m CROSS JOIN inbox i ON i.no = m.inbox_no
    WHERE m.received_at = ? AND m.${'inbox_no' in scope ? 'inbox_no' : 'account_no'} = ? AND i.deleted_at IS NULL
      ${chooseListCondition(filter).condition}`;
}

export const TAGGED = `SELECT received_at
  FROM message_tag
  WHERE account_no = ? AND tag = ? AND received_at < ? AND received_at >= ?
  ORDER BY received_at DESC
  LIMIT ?`;

export const INDEX_HITS = `SELECT s.received_at, f.rowid AS no
  FROM message_search_text f CROSS JOIN search_row s ON s.no = f.rowid
  WHERE f.message_search_text MATCH ? AND f.rowid < ? AND f.rowid >= ?
  ORDER BY f.rowid DESC
  LIMIT ?`;

/** Candidates of the first query. Each further query asks for `times` more, bounded by terms times candidates. */
const FIRST_CANDIDATES = 256;
const FURTHER = { times: 4, termsMax: 24_000 };

/** One search in progress. */
class SearchRun {
  readonly found: SummaryRow[] = [];
  private readonly matches: ReturnType<typeof makeSearchMatcher>;
  private readonly scopeNo: number;

  constructor(
    private readonly reading: LongReading,
    private readonly search: QuerySearch,
    private readonly after: number,
  ) {
    this.matches = makeSearchMatcher(search.terms, search.filter);
    this.scopeNo = 'inbox_no' in search.scope ? search.scope.inbox_no : search.scope.account_no;
  }

  private get isFull(): boolean {
    return this.found.length >= this.search.limit;
  }

  /** Compares all messages of the scope between two times, newest first. */
  *scan(before: number, after: number): Steps<void> {
    const { scope, terms, filter } = this.search;
    const read = terms.find((term) => term.kind === 'read');
    const asked = read?.kind === 'read' ? read.read !== read.not : null;
    // If the filter contradicts the search, nothing matches, which the comparison shows.
    const chosen = { ...filter, read: filter.read ?? asked };
    const statement = this.reading.sql(scanStatement(scope, chosen));
    const { values } = 'inbox_no' in scope ? chooseListCondition(chosen) : { values: [] };
    for (let to = before; !this.isFull; yield) {
      let isCut = false;
      const rows = statement.iterate(this.scopeNo, to, after, ...values) as Iterable<CandidateRow>;
      for (const row of rows) {
        to = row.received_at;
        this.compare(row);
        if (this.isFull) return;
        isCut = this.reading.isTurnOver();
        if (isCut) break;
      }
      if (!isCut) return;
    }
  }

  /** Compares the messages with a tag, newest first. */
  *readTagged(tag: string, before: number): Steps<void> {
    const accountNo = this.readAccountNo();
    const statement = this.reading.sql(TAGGED);
    for (let to = before; ; ) {
      const rows = statement.all(accountNo, tag, to, this.after, FIRST_CANDIDATES) as {
        received_at: number;
      }[];
      for (const { received_at } of rows) {
        to = received_at;
        this.compareByTime(received_at);
        if (this.isFull) return;
        if (this.reading.isTurnOver()) yield;
      }
      if (rows.length < FIRST_CANDIDATES) return;
    }
  }

  /** Compares the messages that the index finds, newest first. */
  *queryIndex({ match, terms }: IndexQuery, before: number): Steps<void> {
    if (this.isFull) return;
    let to = this.findRow('received_at < ? ORDER BY received_at DESC', before, -1) + 1;
    const from = this.findRow('received_at >= ? ORDER BY received_at', this.after, Number.MAX_SAFE_INTEGER);
    const statement = this.reading.sql(INDEX_HITS);
    for (let rows = FIRST_CANDIDATES; ; ) {
      if (this.reading.isTurnOver()) yield;
      const hits = statement.all(match, to, from, rows) as { received_at: number; no: number }[];
      for (const { received_at, no } of hits) {
        if (this.reading.isTurnOver()) yield;
        this.compareByTime(received_at);
        if (this.isFull) return;
        to = no;
      }
      if (hits.length < rows) return;
      rows = Math.max(1, Math.min(rows * FURTHER.times, Math.ceil(FURTHER.termsMax / terms)));
    }
  }

  private findRow(condition: string, at: number, none: number): number {
    const row = this.reading.sql(`SELECT no FROM search_row WHERE ${condition} LIMIT 1`).get(at);
    return (row as { no: number } | undefined)?.no ?? none;
  }

  private readAccountNo(): number {
    if ('account_no' in this.search.scope) return this.search.scope.account_no;
    const row = this.reading.sql('SELECT account_no FROM inbox WHERE no = ?').get(this.scopeNo);
    return (row as { account_no: number } | undefined)?.account_no ?? 0;
  }

  private compareByTime(receivedAt: number): void {
    const { scope, filter } = this.search;
    const { values } = chooseListCondition(filter);
    const row = this.reading.sql(candidateStatement(scope, filter)).get(receivedAt, this.scopeNo, ...values);
    // It may have been deleted meanwhile, or belong to another account.
    if (row) this.compare(row as CandidateRow);
  }

  /** Adds a candidate to `found` if it matches. */
  private compare(candidate: CandidateRow): void {
    let content: SearchedContent | undefined;
    const readContent = () => {
      content ??= this.readContent(candidate);
      return content;
    };
    if (!this.matches(candidate, readContent)) return;
    const { raw_no, address, label, ...row } = candidate;
    this.found.push(row);
  }

  private readContent({ raw_no, attachment_count }: CandidateRow): SearchedContent {
    const row = this.reading.sql('SELECT content, content_size, size FROM raw WHERE no = ?').get(raw_no);
    if (!row) return NO_CONTENT;
    return readSearchedContent(row as ContentColumns, attachment_count);
  }
}
