/** Every write to messages. */
import { DAY_US, isoTime } from '../../platform/core/clock.ts';
import { fail } from '../../platform/core/failure.ts';
import type { ParsedSummary } from '../../platform/mail/parsed.ts';
import {
  type AnyWriteOp,
  jobOp,
  onFullDisk,
  STEP_MS_MAX,
  type Tx,
  writeOp,
} from '../../platform/store/operation.ts';
import { recordEvent } from '../events/writes.ts';
import { eraseInbox, findOldestDeleted } from '../inboxes/writes.ts';
import { indexTextOp, unindexText } from './query/writes.ts';
import { leaveThread, threadWrites } from './threads/writes.ts';
import { findOwnWithheld } from './withheld/sql.ts';
import { eraseWithheld, listErasable, listOldest } from './withheld/writes.ts';

/** How long the id of an erased message is still known (docs/decisions.md, Wait and stream). */
const TOMBSTONE_US = 30 * DAY_US;

/** A message for one inbox. Its mail (raw) is stored already. */
export interface NewMessage {
  received_at: number;
  id: string;
  inbox_no: number;
  account_no: number;
  raw_no: number;
  /** The result of joinThread. */
  thread_no: number | null;
  envelope_recipient: string;
  size: number;
  /** JSON: the inbox's metadata at the time. */
  metadata: string;
  /** Null for unread. */
  read_at: number | null;
  summary: ParsedSummary;
}

export function insertMessage(tx: Tx, message: NewMessage): void {
  const { summary } = message;
  tx.sql(
    `INSERT INTO message (received_at, id, inbox_no, raw_no, status, read_at, otp, otp_confidence, magic_link,
                          has_html, size, attachment_count, envelope_recipient, subject, "from", "to", cc,
                          links, metadata, tags, account_no, snippet, thread_no, ref)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    message.received_at,
    message.id,
    message.inbox_no,
    message.raw_no,
    summary.status,
    message.read_at,
    summary.otp,
    summary.otp_confidence,
    summary.magic_link,
    summary.has_html ? 1 : 0,
    message.size,
    summary.attachment_count,
    message.envelope_recipient,
    summary.subject,
    summary.from,
    JSON.stringify(summary.to),
    JSON.stringify(summary.cc),
    JSON.stringify(summary.links),
    message.metadata,
    formatTags(summary.tags),
    message.account_no,
    summary.snippet,
    message.thread_no,
    summary.ref,
  );
  insertTags(tx, message.account_no, message.received_at, summary.tags);
}

/** Stores the tags for searches. They are deleted with the message (ON DELETE CASCADE). */
function insertTags(tx: Tx, accountNo: number, receivedAt: number, tags: readonly string[]): void {
  for (const tag of tags) {
    tx.sql('INSERT OR IGNORE INTO message_tag (account_no, tag, received_at) VALUES (?, ?, ?)').run(
      accountNo,
      tag,
      receivedAt,
    );
  }
}

/** Returns tags in the form of the column; null if there are none. */
function formatTags(tags: readonly string[]): string | null {
  return tags.length > 0 ? JSON.stringify(tags) : null;
}

/** The columns of a message that erasing needs. */
export interface ErasableRow {
  received_at: number;
  id: string;
  inbox_no: number;
  raw_no: number;
  account_no: number;
  thread_no: number | null;
}

const ERASABLE = `SELECT m.received_at, m.id, m.inbox_no, m.raw_no, i.account_no, m.thread_no
  FROM message m JOIN inbox i ON i.no = m.inbox_no`;

/** A test checks its query plan. */
export const OLDEST = `SELECT m.received_at, m.id, m.inbox_no, m.raw_no, i.account_no, m.thread_no
  FROM message m CROSS JOIN inbox i ON i.no = m.inbox_no
  ORDER BY m.received_at
  LIMIT ?`;

/**
 * Erases messages for good: the row, the search entries, and with the last message of a mail also the mail. Stops after
 * `msMax`, but not before the first. Returns those that it erased.
 */
function eraseRows(
  tx: Tx,
  rows: readonly ErasableRow[],
  msMax = Number.POSITIVE_INFINITY,
): readonly ErasableRow[] {
  const beganMs = performance.now();
  for (const [index, row] of rows.entries()) {
    if (index > 0 && performance.now() - beganMs > msMax) return rows.slice(0, index);
    tx.sql('DELETE FROM message WHERE received_at = ?').run(row.received_at);
    tx.sql('DELETE FROM message_search WHERE rowid = ?').run(row.received_at);
    unindexText(tx, row.received_at);
    leaveThread(tx, row);
    tx.sql('UPDATE raw SET refs = refs - 1 WHERE no = ?').run(row.raw_no);
    // The pieces of a large mail go with it (ON DELETE CASCADE).
    tx.sql('DELETE FROM raw WHERE no = ? AND refs <= 0').run(row.raw_no);
  }
  return rows;
}

/** Erases all messages of an inbox without tombstones. For an inbox that has few and is removed too. */
export function eraseWithoutTombstones(tx: Tx, inboxNo: number): void {
  eraseRows(tx, tx.sql(`${ERASABLE} WHERE m.inbox_no = ?`).all(inboxNo) as ErasableRow[]);
}

/** Erases messages of inboxes that remain: leaves tombstones and records events. Returns how many it erased. */
export function eraseMessages(tx: Tx, rows: readonly ErasableRow[], msMax?: number): number {
  const erased = eraseRows(tx, rows, msMax);
  for (const row of erased) {
    tx.sql(
      `INSERT OR IGNORE INTO deleted_message (id, account_no, inbox_no, received_at, deleted_at)
       VALUES (?, ?, ?, ?, ?)`,
    ).run(row.id, row.account_no, row.inbox_no, row.received_at, tx.nowUs);
    const { id, account_no, inbox_no } = row;
    recordEvent(tx, {
      kind: 'message.deleted',
      account_no,
      inbox_no,
      subject_id: id,
      note: () => describeDeleted(tx, row),
    });
  }
  return erased.length;
}

/** All that an event can say about a deleted message, whose content is gone. */
function describeDeleted(tx: Tx, { id, inbox_no, received_at }: ErasableRow): object {
  const inbox = tx.sql('SELECT id FROM inbox WHERE no = ?').get(inbox_no) as { id: string };
  return { id, inbox_id: inbox.id, received_at: isoTime(received_at) };
}

/** Erases messages by their numbers, if they still exist. Returns how many. */
export function eraseExpired(tx: Tx, receivedAt: readonly number[]): number {
  const rows = receivedAt.flatMap(
    (at) => tx.sql(`${ERASABLE} WHERE m.received_at = ?`).all(at) as ErasableRow[],
  );
  return eraseMessages(tx, rows, STEP_MS_MAX);
}

function findOwnErasable(tx: Tx, accountNo: number, id: string): ErasableRow | null {
  const row = tx
    .sql(`${ERASABLE} WHERE m.id = ? AND i.account_no = ? AND i.deleted_at IS NULL`)
    .get(id, accountNo);
  return (row as ErasableRow | undefined) ?? null;
}

/** Marks a message read. Returns false if it is read already, or gone. */
export function markRead(tx: Tx, receivedAt: number): boolean {
  const { changes } = tx
    .sql('UPDATE message SET read_at = ? WHERE received_at = ? AND read_at IS NULL')
    .run(tx.nowUs, receivedAt);
  return changes === 1;
}

/**
 * Marks a message read or unread; one that is read already keeps its `read_at`. Returns whether the account has the
 * message.
 */
export function markOne(tx: Tx, accountNo: number, id: string, read: boolean): boolean {
  const found = findOwnErasable(tx, accountNo, id);
  if (!found) return false;
  if (read) {
    markRead(tx, found.received_at);
  } else {
    tx.sql('UPDATE message SET read_at = NULL WHERE received_at = ? AND read_at IS NOT NULL').run(
      found.received_at,
    );
  }
  return true;
}

interface OfMessage {
  account_no: number;
  id: string;
}

interface OfMessages {
  account_no: number;
  ids: readonly string[];
}

export const markMessageOp = writeOp('messages.mark', (tx, input: OfMessage & { read: boolean }): void => {
  if (!markOne(tx, input.account_no, input.id, input.read)) refuseMissing(tx, input);
});

/** Throws not_found, or conflict for a withheld message, which can only be accepted or deleted. */
function refuseMissing(tx: Tx, { account_no, id }: OfMessage): never {
  if (!findOwnWithheld(tx, account_no, id)) fail('not_found');
  fail('conflict', { text: 'This message is withheld. Accept it first.' });
}

/** Replaces the tags of a message. */
export const setTagsOp = writeOp(
  'messages.set_tags',
  (tx, { account_no, id, tags }: OfMessage & { tags: readonly string[] }): void => {
    const found = findOwnErasable(tx, account_no, id) ?? refuseMissing(tx, { account_no, id });
    tx.sql('UPDATE message SET tags = ? WHERE received_at = ?').run(formatTags(tags), found.received_at);
    tx.sql('DELETE FROM message_tag WHERE received_at = ?').run(found.received_at);
    insertTags(tx, account_no, found.received_at, tags);
  },
);

export const deleteMessageOp = writeOp('messages.delete', (tx, { account_no, id }: OfMessage): void => {
  if (!deleteOne(tx, account_no, id)) fail('not_found');
});

/** Deletes a message, withheld or not. Returns whether the account had it. */
function deleteOne(tx: Tx, accountNo: number, id: string): boolean {
  const found = findOwnErasable(tx, accountNo, id);
  if (found) return eraseMessages(tx, [found]) > 0;
  const withheld = findOwnWithheld(tx, accountNo, id);
  return withheld !== null && eraseWithheld(tx, [withheld]) > 0;
}

/** Marks messages. Returns whether each id existed, in the order of the input. */
export const markBatchOp = writeOp(
  'messages.mark_batch',
  (tx, { account_no, ids, read }: OfMessages & { read: boolean }): boolean[] =>
    ids.map((id) => markOne(tx, account_no, id, read)),
);

/** Deletes messages. Returns whether each id is deleted now, even if it was before, in the order of the input. */
export const deleteBatchOp = writeOp(
  'messages.delete_batch',
  (tx, { account_no, ids }: OfMessages): boolean[] =>
    ids.map((id) => deleteOne(tx, account_no, id) || isTombstone(tx, account_no, id)),
);

/** Whether a message was deleted lately. The tombstones of a deleted inbox are hidden with it. */
function isTombstone(tx: Tx, accountNo: number, id: string): boolean {
  const row = tx
    .sql(
      `SELECT 1
       FROM deleted_message d JOIN inbox i ON i.no = d.inbox_no
       WHERE d.id = ? AND d.account_no = ? AND d.deleted_at > ? AND i.deleted_at IS NULL`,
    )
    .get(id, accountNo, tx.nowUs - TOMBSTONE_US);
  return row !== undefined;
}

/** Erases the oldest messages of an inbox that were received before a time. Returns how many. */
export const eraseOldOp = jobOp(
  'messages.erase_old',
  (tx, { inbox_no, before, max }: { inbox_no: number; before: number; max: number }): number => {
    const rows = tx
      .sql(`${ERASABLE} WHERE m.inbox_no = ? AND m.received_at < ? ORDER BY m.received_at LIMIT ?`)
      .all(inbox_no, before, max) as ErasableRow[];
    if (rows.length > 0) return eraseMessages(tx, rows, STEP_MS_MAX);
    return eraseWithheld(tx, listErasable(tx, inbox_no, before, max), STEP_MS_MAX);
  },
);

/** Erases the oldest messages of all accounts, withheld ones first. Returns how many. */
export const eraseOldestOp = jobOp('messages.erase_oldest', (tx, { max }: { max: number }): number => {
  const withheld = listOldest(tx, max);
  if (withheld.length > 0) return eraseWithheld(tx, withheld, STEP_MS_MAX);
  const rows = tx.sql(OLDEST).all(max) as ErasableRow[];
  return eraseMessages(tx, rows, STEP_MS_MAX);
});

/** Erases the messages of a deleted inbox, and the inbox once it is empty. Returns how many rows it erased. */
export const eraseDeletedInboxesOp = jobOp(
  'messages.erase_deleted_inboxes',
  (tx, { max }: { max: number }): number => {
    const inboxNo = findOldestDeleted(tx);
    if (inboxNo === null) return 0;
    const rows = tx
      .sql(`${ERASABLE} WHERE m.inbox_no = ? ORDER BY m.received_at LIMIT ?`)
      .all(inboxNo, max) as ErasableRow[];
    const erased = eraseRows(tx, rows, STEP_MS_MAX);
    if (rows.length === max || erased.length < rows.length) return erased.length;
    const withheld = listErasable(tx, inboxNo, Number.MAX_SAFE_INTEGER, max);
    if (withheld.length > 0) return erased.length + eraseWithheld(tx, withheld, STEP_MS_MAX);
    return rows.length + eraseInbox(tx, inboxNo, max);
  },
);

/** Deletes expired tombstones. Returns how many. */
export const forgetTombstonesOp = jobOp(
  'messages.forget_tombstones',
  (tx, { max }: { max: number }): number => {
    return tx
      .sql(
        'DELETE FROM deleted_message WHERE id IN (SELECT id FROM deleted_message WHERE deleted_at <= ? LIMIT ?)',
      )
      .run(tx.nowUs - TOMBSTONE_US, max).changes;
  },
);

/** For src/app/writes.ts. */
export const messageWrites: readonly AnyWriteOp[] = [
  indexTextOp,
  ...threadWrites,
  onFullDisk(markMessageOp),
  setTagsOp,
  onFullDisk(deleteMessageOp),
  onFullDisk(markBatchOp),
  onFullDisk(deleteBatchOp),
  eraseOldOp,
  eraseOldestOp,
  eraseDeletedInboxesOp,
  forgetTombstonesOp,
];
