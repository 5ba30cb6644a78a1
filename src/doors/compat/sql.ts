/**
 * The mails of an account, each with all of its recipients. Other tools have one row for a mail, where the store has
 * one message for each recipient. The messages of a mail are stored in one transaction, so they are next to each other.
 */
import { readPieces } from '../../features/messages/raw.ts';
import { findOwnSummary, type SummaryRow } from '../../features/messages/sql.ts';
import { readOrElse } from '../../features/messages/unreadable.ts';
import { listTags } from '../../features/messages/view.ts';
import { Failure } from '../../platform/core/failure.ts';
import { silentLog } from '../../platform/core/log.ts';
import { type MailColumns, readContent } from '../../platform/mail/stored-mail.ts';
import { type LongReading, type Reading, readOp, type Steps } from '../../platform/store/operation.ts';
import { type CopyRow, listCopies } from '../dashboard/sql.ts';
import { type ContentOfMail, isMatch, type Searched, type Term } from './search.ts';

export interface MailQuery {
  account_no: number;
  terms: readonly Term[];
  /** How many matching mails to skip. */
  start: number;
  /** How many mails to return. */
  limit: number;
  /** Only mails received before this time, in microseconds. */
  before: number;
  /** Whether to count the whole mailbox. Without it, the search ends at the last mail that is returned. */
  counts: boolean;
}

/** A mail: the messages of all its recipients. `id` is the first one's. */
export interface GroupedMail {
  id: string;
  ids: string[];
  recipients: string[];
  received_at: number;
  is_read: boolean;
  /** Bytes of the mail as received. */
  size: number;
}

export interface FoundMails {
  mails: GroupedMail[];
  /** Mails in the whole mailbox. */
  total: number;
  unread: number;
  /** Mails that match. */
  matching: number;
  matching_unread: number;
}

interface Row
  extends Pick<SummaryRow, 'subject' | 'from' | 'to' | 'cc' | 'size' | 'attachment_count' | 'tags'> {
  received_at: number;
  id: string;
  raw_no: number;
  read_at: number | null;
  envelope_recipient: string;
}

const NO_CONTENT: ContentOfMail = { message_id: null, reply_to: null, text: '', html: '', attachments: [] };

/** How many messages one statement reads. */
const ROWS_AT_ONCE = 250;

/** Finds mails, newest first. */
export const findMails = readOp(
  'compat.find_mails',
  findMailsOf,
  () => new Failure('validation_error', { fields: { query: ['takes too long to search for'] } }),
);

function* findMailsOf(reading: LongReading, query: MailQuery): Steps<FoundMails> {
  const found: FoundMails = { mails: [], total: 0, unread: 0, matching: 0, matching_unread: 0 };
  const isDone = () => !query.counts && found.mails.length >= query.limit;
  let group: Row[] = [];
  for (let to = query.before; !isDone(); ) {
    const { from, rows } = readSlice(reading, query.account_no, to);
    for (const row of rows) {
      if (group[0] && group[0].raw_no !== row.raw_no) {
        countMail(reading, query, found, group);
        group = [];
        if (isDone()) break;
        if (reading.isTurnOver()) yield;
      }
      group.push(row);
    }
    if (from === null) break;
    to = from;
    if (reading.isTurnOver()) yield;
  }
  if (group.length > 0 && !isDone()) countMail(reading, query, found, group);
  return found;
}

/** Returns this account's messages among the store's next ROWS_AT_ONCE. `from` is null if there are no more. */
function readSlice(reading: Reading, accountNo: number, to: number): { from: number | null; rows: Row[] } {
  const { from } = reading
    .sql(
      `SELECT min(received_at) AS "from"
       FROM (SELECT received_at FROM message NOT INDEXED
             WHERE received_at < ? ORDER BY received_at DESC LIMIT ?)`,
    )
    .get(to, ROWS_AT_ONCE) as { from: number | null };
  if (from === null) return { from, rows: [] };
  const rows = reading
    .sql(
      `SELECT m.received_at, m.id, m.raw_no, m.read_at, m.size, m.attachment_count, m.envelope_recipient,
         m.subject, m."from", m."to", m.cc, m.tags
       FROM message m NOT INDEXED CROSS JOIN inbox i ON i.no = m.inbox_no
       WHERE m.received_at >= ? AND m.received_at < ? AND i.account_no = ? AND i.deleted_at IS NULL
       ORDER BY m.received_at DESC`,
    )
    .all(from, to, accountNo) as Row[];
  return { from, rows };
}

function countMail(reading: Reading, query: MailQuery, found: FoundMails, group: readonly Row[]): void {
  const mail = joinCopies(group);
  found.total += 1;
  if (!mail.is_read) found.unread += 1;
  if (query.terms.length > 0 && !isMatch(readSearched(reading, group, mail), query.terms)) return;
  found.matching += 1;
  if (!mail.is_read) found.matching_unread += 1;
  const isWanted = found.matching > query.start && found.mails.length < query.limit;
  if (isWanted) found.mails.push(mail);
}

/** Joins the messages of a mail, which come newest first. */
function joinCopies(group: readonly CopyRow[]): GroupedMail {
  const members = [...group].reverse();
  const first = members[0]!;
  return {
    id: first.id,
    ids: members.map(({ id }) => id),
    recipients: members.map(({ envelope_recipient }) => envelope_recipient),
    received_at: first.received_at,
    is_read: members.every(({ read_at }) => read_at !== null),
    size: first.size,
  };
}

function readSearched(reading: Reading, group: readonly Row[], mail: GroupedMail): Searched {
  const row = group[0]!;
  const findRaw = () =>
    reading
      .sql('SELECT envelope_from, content, content_size, size, bytes FROM raw WHERE no = ?')
      .get(row.raw_no) as (MailColumns & { envelope_from: string }) | undefined;
  const raw = () => {
    const found = findRaw();
    if (!found) throw new Error(`the mail behind message ${row.id} is missing from the store`);
    return found;
  };
  // A list reports a damaged mail; a search only leaves out what it can't read.
  const readOr = <T>(read: () => T, nothing: T) =>
    readOrElse({ log: silentLog }, row.id, read, () => nothing);
  let content: ContentOfMail | undefined;
  return {
    subject: row.subject,
    from: row.from,
    to: JSON.parse(row.to),
    cc: JSON.parse(row.cc),
    recipients: mail.recipients,
    receivedAt: mail.received_at,
    size: row.size,
    attachmentCount: row.attachment_count,
    tags: listTags(row),
    isRead: mail.is_read,
    envelopeFrom: () => findRaw()?.envelope_from ?? '',
    content: () => (content ??= readOr<ContentOfMail>(() => readContent(raw()), NO_CONTENT)),
    source: () => readOr(() => readFirstPiece(reading, { ...raw(), id: row.id, raw_no: row.raw_no }), ''),
  };
}

function readFirstPiece(reading: Reading, raw: Parameters<typeof readPieces>[1]): string {
  return Buffer.from(readPieces(reading, raw).next().value ?? []).toString();
}

/** Returns the mail that a message of this account belongs to. */
export function findMail(reading: Reading, accountNo: number, id: string): GroupedMail | null {
  if (!findOwnSummary(reading, accountNo, id)) return null;
  const group = listCopies(reading, accountNo, id);
  return group.length > 0 ? joinCopies(group) : null;
}
