import { INBOX, type Inbox } from '../../features/inboxes/sql.ts';
import { SUMMARY, type SummaryRow } from '../../features/messages/sql.ts';
import { listTags } from '../../features/messages/view.ts';
import { isoTime } from '../../platform/core/clock.ts';
import { Failure } from '../../platform/core/failure.ts';
import { cutSnippet } from '../../platform/mail/snippet.ts';
import { type ContentColumns, readContent } from '../../platform/mail/stored-mail.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { type LongReading, readOp, type Steps } from '../../platform/store/operation.ts';
import type { MessageInList } from './wire.ts';

/** Queries that only the pages need. Unbounded ones run on the reader thread. */

type Reading = Pick<PlatformServices['store'], 'sql'>;

/** Unread messages are counted up to this number; a page then shows `999+`. */
export const UNREAD_COUNTED = 1_000;

export interface InboxRow extends Inbox {
  unread: number;
  last_at: number | null;
}

/** Live inboxes of an account with their unread counts, newest first; `like` is part of an address or label. */
export function listWithUnread(
  reading: Reading,
  accountNo: number,
  like: string,
  before: number,
  rows: number,
  from = 0,
): InboxRow[] {
  return reading
    .sql(
      `SELECT ${INBOX},
         (SELECT count(*) FROM (SELECT 1 FROM message INDEXED BY message_unread
            WHERE inbox_no = inbox.no AND read_at IS NULL LIMIT ${UNREAD_COUNTED})) AS unread,
         (SELECT received_at FROM message INDEXED BY message_inbox
            WHERE inbox_no = inbox.no ORDER BY received_at DESC LIMIT 1) AS last_at
       FROM inbox INDEXED BY inbox_account
       WHERE account_no = ? AND deleted_at IS NULL AND no < ? AND no >= ?
         AND (instr(address, ?) > 0 OR instr(lower(label), ?) > 0)
       ORDER BY no DESC
       LIMIT ?`,
    )
    .all(accountNo, before, from, like, like, rows) as InboxRow[];
}

interface InboxSearch {
  account_no: number;
  like: string;
  before: number;
  rows: number;
}

/** Inboxes that one statement of a search examines. */
const INBOXES_AT_ONCE = 1_000;

/** Searches the inboxes. It may examine every inbox of the account: 100,000 take 90 ms. */
export const searchInboxes = readOp('dashboard.search_inboxes', searchInboxesOf, () => {
  return new Failure('validation_error', { fields: { q: ['takes too long to search for; make it longer'] } });
});

function* searchInboxesOf(reading: LongReading, input: InboxSearch): Steps<InboxRow[]> {
  const found: InboxRow[] = [];
  for (let to = input.before; found.length < input.rows; ) {
    const { from, looked } = reading
      .sql(
        `SELECT min(no) AS "from", count(*) AS looked
         FROM (SELECT no FROM inbox INDEXED BY inbox_account
               WHERE account_no = ? AND deleted_at IS NULL AND no < ? ORDER BY no DESC LIMIT ?)`,
      )
      .get(input.account_no, to, INBOXES_AT_ONCE) as { from: number | null; looked: number };
    if (from === null) break;
    const left = input.rows - found.length;
    found.push(...listWithUnread(reading, input.account_no, input.like, to, left, from));
    if (looked < INBOXES_AT_ONCE) break;
    to = from;
    if (reading.isTurnOver()) yield;
  }
  return found;
}

/** Unread messages of all inboxes of an account, up to UNREAD_COUNTED. */
export function countUnread(reading: Reading, accountNo: number): number {
  const row = reading
    .sql(
      `SELECT count(*) AS unread FROM (
         SELECT 1
         FROM inbox i INDEXED BY inbox_account CROSS JOIN message m INDEXED BY message_unread ON m.inbox_no = i.no
         WHERE i.account_no = ? AND i.deleted_at IS NULL AND m.read_at IS NULL
         LIMIT ${UNREAD_COUNTED})`,
    )
    .get(accountNo) as { unread: number };
  return row.unread;
}

interface ListedColumns {
  address: string;
  /** Null for a message that was stored before schema 17. */
  snippet: string | null;
  mail: string;
}

/** What a list shows of a message in addition to its summary. A test checks the query plan. */
export const LISTED = `SELECT i.address, m.snippet,
    (SELECT f.id FROM message f INDEXED BY message_raw
      WHERE f.raw_no = m.raw_no AND f.account_no = m.account_no
      ORDER BY f.received_at LIMIT 1) AS mail
  FROM message m CROSS JOIN inbox i ON i.no = m.inbox_no
  WHERE m.received_at = ?`;

/** Most content to read for the snippet of a message stored without one: 100 of these take a few milliseconds. */
const OLD_CONTENT_BYTES = 32 * 1024;
export const OLD_CONTENT = `SELECT r.content, r.content_size, r.size
  FROM message m CROSS JOIN raw r ON r.no = m.raw_no
  WHERE m.received_at = ? AND r.content_size > 0 AND r.content_size + r.size <= ${OLD_CONTENT_BYTES}`;

/** Reads a row of a list. For a message deleted in the meantime, only its summary is known. */
export function listMessage(reading: Reading, row: SummaryRow): MessageInList {
  const found = reading.sql(LISTED).get(row.received_at) as ListedColumns | undefined;
  return {
    id: row.id,
    inbox_id: row.inbox_id,
    from: row.from,
    subject: row.subject,
    received_at: isoTime(row.received_at),
    otp: row.otp,
    magic_link: row.magic_link,
    read: row.read_at !== null,
    size: row.size,
    envelope_recipient: row.envelope_recipient,
    attachment_count: row.attachment_count,
    tags: listTags(row),
    address: found?.address ?? '',
    snippet: found ? (found.snippet ?? readOldSnippet(reading, row.received_at)) : '',
    mail: found?.mail ?? row.id,
  };
}

function readOldSnippet(reading: Reading, receivedAt: number): string {
  const row = reading.sql(OLD_CONTENT).get(receivedAt) as ContentColumns | undefined;
  try {
    return row ? cutSnippet(readContent(row)) : '';
  } catch {
    // Opening a damaged mail reports the damage.
    return '';
  }
}

/** Returns what arrived for an account after a time, among its next `rows` messages. */
export function listArrived(
  reading: Reading,
  accountNo: number,
  after: number,
  rows: number,
): { found: SummaryRow[]; looked_to: number; has_more: boolean } {
  const { looked_to, looked } = reading
    .sql(
      `SELECT max(received_at) AS looked_to, count(*) AS looked
       FROM (SELECT received_at FROM message INDEXED BY message_account
         WHERE account_no = ? AND received_at > ? ORDER BY received_at LIMIT ?)`,
    )
    .get(accountNo, after, rows) as { looked_to: number | null; looked: number };
  if (looked_to === null) return { found: [], looked_to: after, has_more: false };
  const found = reading
    .sql(
      `SELECT ${SUMMARY}
       FROM message m INDEXED BY message_account CROSS JOIN inbox i ON i.no = m.inbox_no
       WHERE m.account_no = ? AND m.received_at > ? AND m.received_at <= ? AND i.deleted_at IS NULL
       ORDER BY m.received_at`,
    )
    .all(accountNo, after, looked_to) as SummaryRow[];
  return { found, looked_to, has_more: looked === rows };
}

/** The account of an inbox; null when the inbox is gone. */
export function findAccountOfInbox(reading: Reading, inboxNo: number): number | null {
  const row = reading.sql('SELECT account_no FROM inbox WHERE no = ?').get(inboxNo);
  return (row as { account_no: number } | undefined)?.account_no ?? null;
}

/** One of the messages of a mail that came for several recipients. */
export interface CopyRow {
  id: string;
  received_at: number;
  read_at: number | null;
  size: number;
  envelope_recipient: string;
}

/** Returns this account's messages of the same mail as this one, newest first: each recipient has one. */
export function listCopies(reading: Reading, accountNo: number, id: string): CopyRow[] {
  return reading
    .sql(
      `SELECT m.id, m.received_at, m.read_at, m.size, m.envelope_recipient
       FROM message m INDEXED BY message_raw CROSS JOIN inbox i ON i.no = m.inbox_no
       WHERE m.raw_no = (SELECT raw_no FROM message WHERE id = ?) AND i.account_no = ? AND i.deleted_at IS NULL
       ORDER BY m.received_at DESC`,
    )
    .all(id, accountNo) as CopyRow[];
}

/** The address of an inbox of this account, by its public id. */
export function findInboxAddress(reading: Reading, inboxId: string): string {
  const row = reading.sql('SELECT address FROM inbox WHERE id = ?').get(inboxId);
  return (row as { address: string } | undefined)?.address ?? '';
}
