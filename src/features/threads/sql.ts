/*
 * Threads and their members. A message that is alone has no row in `thread`, so a list merges such messages with the
 * threads. Messages of a deleted inbox are hidden until a job has erased them. There may be very many, so every
 * statement reads a bounded number of rows, and all of this runs on the reader thread.
 */
import { type LongReading, type Reading, readOp, type Steps } from '../../platform/store/operation.ts';
import { idPrefixes } from '../../rules/ids.ts';
import { SUMMARY, type SummaryRow } from '../messages/sql.ts';
import { findThread, resolveThread } from '../messages/threads/sql.ts';

/** Bounds the rows that a statement reads at once, if a page needs more than it has rows because some are hidden. */
const ROWS_AT_ONCE = 500;

/** Identifies a thread. */
export interface ThreadKey {
  account_no: number;
  no: number;
  /** Null for a message that is alone. */
  id: string | null;
  messages: number;
}

/** A member of a thread, by its position. */
export interface ThreadMember {
  at: number;
  /** The number of the sent email; null for a received message. */
  outbound_no: number | null;
}

/**
 * The thread of this account with this public id. A thread that was merged into another is found under its old id too.
 */
export function findOwnThread(reading: Reading, accountNo: number, id: string): ThreadKey | null {
  const no = findThreadNo(reading, accountNo, id);
  if (no === null) return null;
  const thread = findThread(reading, resolveThread(reading, no));
  return {
    account_no: accountNo,
    no: thread?.no ?? no,
    id: thread?.id ?? null,
    messages: thread?.messages ?? 1,
  };
}

function findThreadNo(reading: Reading, accountNo: number, id: string): number | null {
  if (!id.startsWith(idPrefixes.thread)) return null;
  const own = reading.sql('SELECT no FROM thread WHERE id = ? AND account_no = ?').get(id, accountNo);
  const first = own ?? findThreadOfFirst(reading, accountNo, id.slice(idPrefixes.thread.length));
  return (first as { no: number } | undefined)?.no ?? null;
}

/**
 * Finds a thread by its first member: a message that is alone, or that began a thread which was merged into another.
 */
function findThreadOfFirst(reading: Reading, accountNo: number, id: string): unknown {
  return (
    reading
      .sql('SELECT coalesce(thread_no, received_at) AS no FROM message WHERE id = ? AND account_no = ?')
      .get(idPrefixes.message + id, accountNo) ??
    reading
      .sql(
        `SELECT s.thread_no AS no
         FROM outbound_email e CROSS JOIN thread_sent s ON s.outbound_no = e.no
         WHERE e.id = ? AND e.account_no = ?`,
      )
      .get(idPrefixes.outbound_email + id, accountNo)
  );
}

/** A part of a thread: the members after a time, oldest first, or those before it, newest first. */
interface MemberRange {
  from: number;
  limit: number;
  isDescending: boolean;
}

/** A test checks the query plans of these statements. */
export const writeReceivedStatement = (isDescending: boolean): string =>
  `SELECT m.received_at AS at, i.deleted_at IS NULL AS is_shown
   FROM message m INDEXED BY message_thread CROSS JOIN inbox i ON i.no = m.inbox_no
   WHERE m.account_no = ? AND m.thread_no = ? AND m.received_at ${isDescending ? '<' : '>'} ?
   ORDER BY m.received_at ${isDescending ? 'DESC' : 'ASC'}
   LIMIT ?`;

export const writeSentStatement = (isDescending: boolean): string =>
  `SELECT at, outbound_no
   FROM thread_sent
   WHERE thread_no = ? AND at ${isDescending ? '<' : '>'} ?
   ORDER BY at ${isDescending ? 'DESC' : 'ASC'}
   LIMIT ?`;

/** Reads the messages of an account between two times. Only those that are alone are shown. */
export const ALONE = `SELECT m.received_at AS at, m.thread_no IS NULL AND i.deleted_at IS NULL AS is_shown
  FROM message m INDEXED BY message_account CROSS JOIN inbox i ON i.no = m.inbox_no
  WHERE m.account_no = ? AND m.received_at > ? AND m.received_at < ?
  ORDER BY m.received_at DESC
  LIMIT ?`;

export const THREADS = `SELECT no, id, last_at AS at, messages
  FROM thread INDEXED BY thread_account
  WHERE account_no = ? AND last_at < ? AND last_at > 0
  ORDER BY last_at DESC
  LIMIT ?`;

interface MemberRow {
  at: number;
  /** 0 for a message that the caller must leave out. */
  is_shown: number;
}

/** Returns the first `limit` rows that are shown. */
function* listShown(
  reading: LongReading,
  { from, limit }: Pick<MemberRange, 'from' | 'limit'>,
  readRows: (from: number, rows: number) => MemberRow[],
): Steps<ThreadMember[]> {
  const shown: ThreadMember[] = [];
  // Nearly always all are shown, so the first read has as many rows as are needed.
  for (let at = from, rows = limit; ; rows = Math.max(rows, Math.min(2 * rows, ROWS_AT_ONCE))) {
    const read = readRows(at, rows);
    for (const row of read) if (row.is_shown) shown.push({ at: row.at, outbound_no: null });
    if (shown.length >= limit || read.length < rows) return shown.slice(0, limit);
    at = read.at(-1)!.at;
    if (reading.isTurnOver()) yield;
  }
}

/** Lists a part of a thread, received messages and sent emails together. */
export function* listThreadMembers(
  reading: LongReading,
  thread: ThreadKey,
  range: MemberRange,
): Steps<ThreadMember[]> {
  const { from, limit, isDescending } = range;
  if (thread.id === null) {
    const isAfter = isDescending ? thread.no < from : thread.no > from;
    return isAfter ? yield* listAlone(reading, makeAloneRange(thread)) : [];
  }
  const statement = reading.sql(writeReceivedStatement(isDescending));
  const received = yield* listShown(
    reading,
    range,
    (at, rows) => statement.all(thread.account_no, thread.no, at, rows) as MemberRow[],
  );
  const sent = reading.sql(writeSentStatement(isDescending)).all(thread.no, from, limit) as ThreadMember[];
  const sign = isDescending ? -1 : 1;
  return [...received, ...sent].sort((one, other) => sign * (one.at - other.at)).slice(0, limit);
}

interface AloneRange {
  account_no: number;
  after: number;
  before: number;
  limit: number;
}

const makeAloneRange = ({ account_no, no }: ThreadKey): AloneRange => {
  return { account_no, after: no - 1, before: no + 1, limit: 1 };
};

function* listAlone(
  reading: LongReading,
  { account_no, after, before, limit }: AloneRange,
): Steps<ThreadMember[]> {
  const statement = reading.sql(ALONE);
  return yield* listShown(
    reading,
    { from: before, limit },
    (at, rows) => statement.all(account_no, after, at, rows) as MemberRow[],
  );
}

/** A thread in a list. */
export interface ListedThread extends ThreadKey, Ends {
  /** The position in the list. */
  at: number;
}

interface Ends {
  first: ThreadMember;
  latest: ThreadMember;
}

export interface ThreadList {
  account_no: number;
  before: number;
  limit: number;
}

const EVER = Number.MAX_SAFE_INTEGER;

function* listThreads(
  reading: LongReading,
  { account_no, before, limit }: ThreadList,
): Steps<ListedThread[]> {
  const found: ListedThread[] = [];
  for (let from = before; ; ) {
    const wanted = limit - found.length;
    const threads = reading.sql(THREADS).all(account_no, from, wanted) as (ThreadKey & { at: number })[];
    // Not before the oldest of these threads: an account may have a very large thread, whose messages this skips.
    const after = threads.length === wanted ? threads.at(-1)!.at : 0;
    const alone = yield* listAlone(reading, { account_no, after, before: from, limit: wanted });
    const newest = [
      ...threads.map((thread) => ({ ...thread, account_no })),
      ...alone.map(({ at }) => ({ account_no, no: at, id: null, messages: 1, at })),
    ]
      .sort((one, other) => other.at - one.at)
      .slice(0, wanted);
    for (const thread of newest) {
      const ends = thread.id === null ? makeEnds(thread.no) : yield* findEnds(reading, thread);
      if (ends) found.push({ ...thread, ...ends });
    }
    if (newest.length < wanted || found.length === limit) return found;
    from = newest.at(-1)!.at;
    if (reading.isTurnOver()) yield;
  }
}

/** The ends of a thread of one message. */
function makeEnds(no: number): Ends {
  const only = { at: no, outbound_no: null };
  return { first: only, latest: only };
}

/** Finds the first and the latest member of a thread. Null if no member is shown. */
function* findEnds(reading: LongReading, thread: ThreadKey): Steps<Ends | null> {
  const [latest] = yield* listThreadMembers(reading, thread, { from: EVER, limit: 1, isDescending: true });
  const [first] = yield* listThreadMembers(reading, thread, { from: 0, limit: 1, isDescending: false });
  return first && latest ? { first, latest } : null;
}

/** Lists the threads of an account whose latest message is from before a time, newest first. */
export const listThreadsRead = readOp('threads.list', listThreads);

export interface ThreadPage {
  thread: ThreadKey;
  after: number;
  limit: number;
}

/** Reads the first member of a thread, and its members after a time, oldest first. */
export const readThreadRead = readOp(
  'threads.read',
  function* (
    reading: LongReading,
    { thread, after, limit }: ThreadPage,
  ): Steps<{ first: ThreadMember | null; members: ThreadMember[] }> {
    const members = yield* listThreadMembers(reading, thread, { from: after, limit, isDescending: false });
    if (after === 0) return { first: members[0] ?? null, members };
    const [first = null] = yield* listThreadMembers(reading, thread, {
      from: 0,
      limit: 1,
      isDescending: false,
    });
    return { first, members };
  },
);

/** Reads the messages of a page by rowid. A test checks that this does not scan the table. */
export const MEMBERS = `SELECT ${SUMMARY}
  FROM json_each(?) member CROSS JOIN message m ON m.received_at = member.value
    CROSS JOIN inbox i ON i.no = m.inbox_no
  WHERE m.account_no = ? AND i.deleted_at IS NULL`;

/** Reads received members, by position. Those that are gone are missing. */
export function findMemberMessages(
  reading: Reading,
  accountNo: number,
  members: readonly ThreadMember[],
): Map<number, SummaryRow> {
  const rows = reading.sql(MEMBERS).all(listReceived(members), accountNo) as SummaryRow[];
  return new Map(rows.map((row) => [row.received_at, row]));
}

export const SUBJECTS = `SELECT m.received_at AS at, m.subject
  FROM json_each(?) member CROSS JOIN message m ON m.received_at = member.value`;

/** Reads the subjects of received members, by position. */
export function findSubjects(reading: Reading, members: readonly ThreadMember[]): Map<number, string> {
  const rows = reading.sql(SUBJECTS).all(listReceived(members)) as { at: number; subject: string }[];
  return new Map(rows.map(({ at, subject }) => [at, subject]));
}

/** Returns the positions of the received members as JSON. */
function listReceived(members: readonly ThreadMember[]): string {
  return JSON.stringify(members.flatMap(({ at, outbound_no }) => (outbound_no === null ? at : [])));
}

/** The subject of a sent email; null if it was deleted. */
export function findSentSubject(reading: Reading, outboundNo: number): string | null {
  const row = reading.sql('SELECT subject FROM outbound_email WHERE no = ?').get(outboundNo);
  return (row as { subject: string } | undefined)?.subject ?? null;
}
