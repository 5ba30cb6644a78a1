/**
 * Groups messages into conversations. A message joins the thread of a message that it refers to, or that refers to it.
 * A thread's number is the time of its first message. When two threads turn out to be one, they are merged into the
 * older one, which has the smaller number. Threads never span accounts.
 *
 * Most mail refers to nothing and is alone: it has no row in `thread`, and costs one look-up.
 */
import type { Placing } from '../../../platform/mail/message-ids.ts';
import { type AnyWriteOp, repeatableOp, STEP_MS_MAX, type Tx } from '../../../platform/store/operation.ts';
import { findThread, KNOWN_REF, makeThreadId, resolveThread, type ThreadRow } from './sql.ts';

/**
 * Messages and mentions of a thread that are moved in one step. If there are more, a job moves them all, so that the
 * writer is not blocked.
 */
const MOVED_AT_ONCE = 100;
/** Mentions of an ended thread that are deleted in one step. */
const FORGOTTEN_AT_ONCE = 1_000;
/** The into_no of an ended thread whose mentions a job deletes. No thread has this number. */
const NOWHERE = 0;
/** Message-IDs that a thread mentions, at most. Stops an endless thread from filling the store. */
const MENTIONS_MAX = 1_000;

/** New members of a thread: the messages of one mail in one account, or a sent email. */
export interface NewMember extends Placing {
  account_no: number;
  /** The times of the first and the last of them. */
  at: number;
  lastAt: number;
  /** How many there are. */
  count: number;
  /** The public id of the first. */
  id: string;
  /** Whether it is a sent email, which needs a thread even if it is alone. */
  isSent?: boolean;
  /** For a message that is stored already: its thread. `count` is 0 then. */
  isIn?: number;
  /** Threads that it belongs to for other reasons than its headers. */
  alsoIn?: readonly number[];
}

/** Finds or begins the thread of new members. Returns its number, or null for a single message that is alone. */
export function joinThread(tx: Tx, member: NewMember): number | null {
  if (isUnrelated(tx, member)) return null;
  const [no, ...others] = findThreads(tx, member);
  if (no === undefined) return beginThread(tx, member);
  let thread = promote(tx, member.account_no, no);
  for (const other of others) thread = absorb(tx, member.account_no, thread, other);
  const mentions = mention(tx, member, no, thread.mentions);
  tx.sql(
    'UPDATE thread SET last_at = max(last_at, ?), messages = messages + ?, mentions = mentions + ? WHERE no = ?',
  ).run(member.lastAt, member.count, mentions, no);
  return no;
}

/** Whether the member is alone. True of most mail, so it is checked first, with one look-up. */
function isUnrelated(tx: Tx, { account_no, ref, refs, count, isSent, alsoIn }: NewMember): boolean {
  if (refs.length > 0 || count !== 1 || isSent || alsoIn) return false;
  return ref === null || tx.sql(KNOWN_REF).get(account_no, ref, account_no, ref) === undefined;
}

function beginThread(tx: Tx, member: NewMember): number | null {
  const { account_no, at, lastAt, count, id, isSent, isIn } = member;
  const mentions = mention(tx, member, isIn ?? at, 0);
  if (count <= 1 && !isSent) return null;
  return insertThread(tx, account_no, {
    no: at,
    id: makeThreadId(id),
    last_at: lastAt,
    messages: count,
    mentions,
  }).no;
}

/** Returns the numbers of the threads that a mail belongs to, oldest first. */
function findThreads(tx: Tx, { account_no, ref, refs, isIn, alsoIn = [] }: NewMember): number[] {
  const found = new Set(alsoIn);
  for (const wanted of ref === null ? refs : [ref, ...refs]) {
    const known = tx.sql(KNOWN_REF).all(account_no, wanted, account_no, wanted) as { no: number }[];
    for (const { no } of known) found.add(no);
  }
  if (found.size === 0) return [];
  const resolved = new Set([...found].map((no) => resolveThread(tx, no)).filter((no) => isThread(tx, no)));
  if (isIn !== undefined && resolved.size > 0) resolved.add(resolveThread(tx, isIn));
  return [...resolved].sort((one, other) => one - other);
}

/** Whether a thread with this number exists, with or without a row. */
function isThread(tx: Tx, no: number): boolean {
  const row = tx
    .sql('SELECT 1 FROM thread WHERE no = ? UNION ALL SELECT 1 FROM message WHERE received_at = ?')
    .get(no, no);
  return row !== undefined;
}

/**
 * Stores which Message-IDs a member refers to, so that a parent that arrives later finds it. Returns how many are new.
 */
function mention(tx: Tx, { account_no, ref, refs, isSent }: NewMember, no: number, has: number): number {
  let added = 0;
  const insert = (wanted: number) => {
    const { changes } = tx
      .sql('INSERT OR IGNORE INTO thread_ref (account_no, ref, thread_no) VALUES (?, ?, ?)')
      .run(account_no, wanted, no);
    added += changes;
  };
  // A sent email is not in `message`, but replies refer to it.
  if (isSent && ref !== null) insert(ref);
  for (const wanted of refs) if (has + added < MENTIONS_MAX) insert(wanted);
  return added;
}

function insertThread(tx: Tx, accountNo: number, row: Omit<ThreadRow, 'into_no'>): ThreadRow {
  tx.sql(
    'INSERT INTO thread (no, id, account_no, last_at, messages, mentions) VALUES (?, ?, ?, ?, ?, ?)',
  ).run(row.no, row.id, accountNo, row.last_at, row.messages, row.mentions);
  return { ...row, into_no: null };
}

/** Returns the row of a thread. Creates it for a message that has been alone until now. */
function promote(tx: Tx, accountNo: number, no: number): ThreadRow {
  const thread = findThread(tx, no);
  if (thread) return thread;
  const first = tx
    .sql('UPDATE message SET thread_no = received_at WHERE received_at = ? RETURNING id')
    .get(no) as { id: string } | undefined;
  if (!first) throw new Error(`thread ${no} has no first message`);
  const { mentions } = tx
    .sql('SELECT count(*) AS mentions FROM thread_ref WHERE thread_no = ?')
    .get(no) as Pick<ThreadRow, 'mentions'>;
  return insertThread(tx, accountNo, { no, id: makeThreadId(first.id), last_at: no, messages: 1, mentions });
}

/** Merges a younger thread into this one. */
function absorb(tx: Tx, accountNo: number, thread: ThreadRow, otherNo: number): ThreadRow {
  const other = promote(tx, accountNo, otherNo);
  tx.sql('UPDATE thread SET last_at = max(last_at, ?), messages = messages + ? WHERE no = ?').run(
    other.last_at,
    other.messages,
    thread.no,
  );
  if (other.messages > MOVED_AT_ONCE || other.mentions > MOVED_AT_ONCE) {
    tx.sql('UPDATE thread SET into_no = ?, last_at = 0 WHERE no = ?').run(thread.no, otherNo);
    // Threads that were being moved into it are redirected to this one, because readers follow only one step.
    tx.sql('UPDATE thread SET into_no = ? WHERE into_no = ?').run(thread.no, otherNo);
    return thread;
  }
  moveMembers(tx, accountNo, otherNo, thread.no, other.messages + other.mentions);
  endMove(tx, accountNo, other, thread.no);
  return { ...thread, mentions: thread.mentions + other.mentions };
}

/** Moves at most `max` members and mentions to another thread. Returns how many. */
function moveMembers(tx: Tx, accountNo: number, from: number, to: number, max: number): number {
  let left = max;
  left -= tx
    .sql(
      `UPDATE message SET thread_no = ? WHERE received_at IN
         (SELECT received_at FROM message INDEXED BY message_thread WHERE account_no = ? AND thread_no = ? LIMIT ?)`,
    )
    .run(to, accountNo, from, left).changes;
  left -= tx
    .sql(
      `UPDATE thread_sent SET thread_no = ? WHERE (thread_no, at) IN
         (SELECT thread_no, at FROM thread_sent WHERE thread_no = ? LIMIT ?)`,
    )
    .run(to, from, left).changes;
  left -= tx
    .sql(
      `UPDATE thread_ref SET thread_no = ? WHERE (account_no, ref) IN
         (SELECT account_no, ref FROM thread_ref WHERE thread_no = ? LIMIT ?)`,
    )
    .run(to, from, left).changes;
  return max - left;
}

/** Drops the row of a thread after its last member was moved. */
function endMove(tx: Tx, accountNo: number, moved: Pick<ThreadRow, 'no' | 'mentions'>, to: number): void {
  tx.sql('UPDATE thread SET mentions = mentions + ? WHERE no = ?').run(moved.mentions, to);
  tx.sql('UPDATE thread SET into_no = ? WHERE into_no = ?').run(to, moved.no);
  tx.sql('DELETE FROM thread WHERE no = ?').run(moved.no);
  updateLatest(tx, accountNo, to);
}

/** Updates the time of a thread's latest member, after one has left. */
function updateLatest(tx: Tx, accountNo: number, no: number): void {
  tx.sql(
    `UPDATE thread SET last_at = max(
       coalesce((SELECT max(received_at) FROM message WHERE account_no = ? AND thread_no = ?), 0),
       coalesce((SELECT max(at) FROM thread_sent WHERE thread_no = ?), 0))
     WHERE no = ? AND into_no IS NULL`,
  ).run(accountNo, no, no, no);
}

/** Moves members of threads that were merged into others, for a few milliseconds. Returns how many. */
export const moveThreadOp = repeatableOp('messages.move_thread', (tx, _: null): number => {
  const beganMs = performance.now();
  let moved = 0;
  while (moved === 0 || performance.now() - beganMs < STEP_MS_MAX) {
    const moving = tx
      .sql(
        `SELECT no, account_no, mentions FROM thread INDEXED BY thread_moving
         WHERE into_no IS NOT NULL
         LIMIT 1`,
      )
      .get() as { no: number; account_no: number; mentions: number } | undefined;
    if (!moving) return moved;
    const to = resolveThread(tx, moving.no);
    if (to === NOWHERE) {
      moved += endThread(tx, moving.no);
      continue;
    }
    const step = moveMembers(tx, moving.account_no, moving.no, to, MOVED_AT_ONCE);
    moved += step;
    if (step === MOVED_AT_ONCE) continue;
    endMove(tx, moving.account_no, moving, to);
    // If the other thread has ended meanwhile, nothing else deletes its mentions.
    if (!findThread(tx, to)) tx.sql('DELETE FROM thread_ref WHERE thread_no = ?').run(to);
    moved += 1;
  }
  return moved;
});

/** Takes a deleted message out of its thread. */
export function leaveThread(
  tx: Tx,
  member: { account_no: number; received_at: number; thread_no: number | null },
): void {
  const { received_at: at } = member;
  if (member.thread_no === null) tx.sql('DELETE FROM thread_ref WHERE thread_no = ?').run(at);
  else leave(tx, member.account_no, member.thread_no, at);
}

function leave(tx: Tx, accountNo: number, threadNo: number, at: number): void {
  const no = resolveThread(tx, threadNo);
  const left = tx
    .sql('UPDATE thread SET messages = messages - 1 WHERE no = ? RETURNING messages, last_at')
    .get(no) as Pick<ThreadRow, 'messages' | 'last_at'> | undefined;
  if (!left || left.messages <= 0) endThread(tx, no);
  else if (left.last_at === at) updateLatest(tx, accountNo, no);
}

/**
 * Deletes a thread without members, and as many of its mentions as one step may: each thread that was merged into it
 * can have 1,000. A job deletes the rest. Returns how many rows it deleted.
 */
function endThread(tx: Tx, no: number): number {
  const { changes } = tx
    .sql(
      `DELETE FROM thread_ref WHERE (account_no, ref) IN
         (SELECT account_no, ref FROM thread_ref WHERE thread_no = ? LIMIT ?)`,
    )
    .run(no, FORGOTTEN_AT_ONCE);
  if (changes === FORGOTTEN_AT_ONCE)
    tx.sql('UPDATE thread SET into_no = ?, last_at = 0 WHERE no = ?').run(NOWHERE, no);
  else tx.sql('DELETE FROM thread WHERE no = ?').run(no);
  return changes + 1;
}

/** A sent email that becomes a member of a thread. */
export interface SentMember extends Placing {
  account_no: number;
  outbound_no: number;
  id: string;
  at: number;
  /** The id of the message that it replies to, which may have no Message-ID. */
  answers: string | null;
}

export function addSent(tx: Tx, email: SentMember): void {
  const { at, account_no, answers } = email;
  const answered = tx
    .sql('SELECT coalesce(thread_no, received_at) AS no FROM message WHERE id = ? AND account_no = ?')
    .get(answers, account_no) as { no: number } | undefined;
  const alsoIn = answered ? [answered.no] : [];
  const no = joinThread(tx, { ...email, lastAt: at, count: 1, isSent: true, alsoIn });
  const insert = tx.sql('INSERT OR IGNORE INTO thread_sent (thread_no, at, outbound_no) VALUES (?, ?, ?)');
  // Emails of earlier versions may have the same time.
  let free = at;
  while (insert.run(no, free, email.outbound_no).changes === 0) free += 1;
}

/** Takes a sent email out of its thread, before it is deleted. */
export function removeSent(tx: Tx, accountNo: number, outboundNo: number): void {
  const row = tx
    .sql('DELETE FROM thread_sent WHERE outbound_no = ? RETURNING thread_no, at')
    .get(outboundNo) as { thread_no: number; at: number } | undefined;
  if (row) leave(tx, accountNo, row.thread_no, row.at);
}

export const threadWrites: readonly AnyWriteOp[] = [moveThreadOp];
