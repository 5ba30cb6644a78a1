import type { ParsedSummary } from '../../platform/mail/parsed.ts';
import type { ContentColumns, MailColumns } from '../../platform/mail/stored-mail.ts';
import type { Reading } from '../../platform/store/operation.ts';
import type { SearchTerm } from '../../rules/search-language.ts';
import type { WithheldReason } from '../../rules/senders.ts';
import { THREAD_ID } from './threads/sql.ts';
import {
  findRawWithheld,
  findWholeWithheld,
  type WholeWithheldRow,
  type WithheldRow,
} from './withheld/sql.ts';

/** A message in a list. Arrays are JSON. */
export interface SummaryRow {
  received_at: number;
  id: string;
  inbox_id: string;
  status: 'parsed' | 'failed';
  read_at: number | null;
  otp: string | null;
  otp_confidence: number;
  magic_link: string | null;
  has_html: number;
  size: number;
  attachment_count: number;
  envelope_recipient: string;
  subject: string;
  from: string;
  to: string;
  cc: string;
  links: string;
  /** Null for none. */
  tags: string | null;
  /** Null while it is alone in its thread. */
  thread_id: string | null;
}

/** A whole message. */
export interface MessageRow extends SummaryRow, ContentColumns {
  metadata: string;
  envelope_from: string;
  smtp_user: string | null;
  /** JSON (platform/mail/authentication.ts); null until the sender is checked, or if it never is. */
  authentication: string | null;
  /** Absent if the message is not withheld. */
  withheld?: WithheldReason;
}

/** How a mail arrived, and where its bytes are. */
export interface RawRow extends MailColumns {
  raw_no: number;
  id: string;
  received_at: number;
  envelope_from: string;
  helo: string;
  client_address: string;
  protocol: string;
}

export interface MessageFilter {
  /** Only messages with a code. */
  has_otp: boolean;
  /** Only read (true) or only unread (false) messages; null for all. */
  read: boolean | null;
  /** Case-insensitive substring of the subject or From. */
  q: string | null;
  /** Case-insensitive substring of the subject. */
  subject_contains: string | null;
  /** Case-insensitive substring of From. */
  from: string | null;
  /** Only messages to this local part, which has a +tag, at the inbox's domain. */
  recipient?: string | null;
  /** The parsed `search` (rules/search-language.ts). */
  search?: SearchQuery | null;
}

export interface SearchQuery {
  /** The query as written. */
  text: string;
  terms: readonly SearchTerm[];
}

/** The parts of a filter that an index answers. */
type IndexedFilter = Pick<MessageFilter, 'has_otp' | 'read' | 'recipient'>;

/**
 * Messages to a local part with a tag. Word for word the condition of the partial indexes on messages to sub-addresses.
 */
export const TO_SUB_ADDRESS = `substr(envelope_recipient, 1, instr(envelope_recipient, '@') - 1) = ? COLLATE NOCASE
  AND instr(envelope_recipient, '+') > 0`;

/** The columns of SummaryRow, from `message m` joined with `inbox i`. */
export const SUMMARY = `m.received_at, m.id, i.id AS inbox_id, m.status, m.read_at, m.otp, m.otp_confidence,
  m.magic_link, m.has_html, m.size, m.attachment_count, m.envelope_recipient, m.subject, m."from", m."to", m.cc, m.links,
  m.tags, ${THREAD_ID} AS thread_id`;

/**
 * Returns the condition of the filters, and the partial index for it. The condition repeats that of the index in
 * schema.sql word for word. The index is named because SQLite might choose another one and read every message of a
 * large inbox.
 */
export function chooseListCondition(filter: IndexedFilter): {
  index: string;
  condition: string;
  /** The values that the condition binds. */
  values: string[];
} {
  const state = filter.read === null ? '' : filter.read ? '_read' : '_unread';
  const index = `message${filter.has_otp ? '_otp' : ''}${state}`;
  const otp = filter.has_otp ? 'AND m.otp IS NOT NULL' : '';
  const read =
    filter.read === null ? '' : filter.read ? 'AND m.read_at IS NOT NULL' : 'AND m.read_at IS NULL';
  if (typeof filter.recipient === 'string') {
    const isUnread = filter.read === false ? '_unread' : '';
    return {
      index: `message_recipient${isUnread}`,
      condition: `AND ${TO_SUB_ADDRESS} ${otp} ${read}`,
      values: [filter.recipient],
    };
  }
  return { index: index === 'message' ? 'message_inbox' : index, condition: `${otp} ${read}`, values: [] };
}

/** Writes the statement of a list without text conditions. A test checks its query plans. */
export function writeListStatement(filter: IndexedFilter): string {
  const { index, condition } = chooseListCondition(filter);
  return `SELECT ${SUMMARY}
    FROM message m INDEXED BY ${index} CROSS JOIN inbox i ON i.no = m.inbox_no
    WHERE m.inbox_no = ? AND m.received_at < ? ${condition}
    ORDER BY m.received_at DESC
    LIMIT ?`;
}

/** Lists messages of an inbox that were received before a time, newest first. search.ts handles text conditions. */
export function listMessages(
  reading: Reading,
  inboxNo: number,
  filter: IndexedFilter,
  before: number,
  rows: number,
): SummaryRow[] {
  const { values } = chooseListCondition(filter);
  return reading.sql(writeListStatement(filter)).all(inboxNo, before, ...values, rows) as SummaryRow[];
}

const MESSAGE = `SELECT ${SUMMARY}, m.metadata, r.envelope_from, r.smtp_user, r.content,
    r.content_size, a.verdicts AS authentication
  FROM message m JOIN inbox i ON i.no = m.inbox_no LEFT JOIN raw r ON r.no = m.raw_no
    LEFT JOIN authentication a ON a.raw_no = m.raw_no`;

/** A message of this account by its public id, withheld or not. */
export function findOwnMessage(reading: Reading, accountNo: number, id: string): MessageRow | null {
  const find = () =>
    reading
      .sql(`${MESSAGE} WHERE m.id = ? AND i.account_no = ? AND i.deleted_at IS NULL`)
      .get(id, accountNo) as MessageRow | undefined;
  const findWithheld = () => {
    const withheld = findWholeWithheld(reading, accountNo, id);
    return withheld ? toMessageRow(withheld) : null;
  };
  return requireWhole(findInEither(find, findWithheld));
}

/**
 * Looks among the messages, then among the withheld ones. A withheld mail may become a message between the two
 * statements, so the messages are searched again before it counts as missing.
 */
function findInEither<Row>(find: () => Row | undefined, findWithheld: () => Row | null): Row | undefined {
  return find() ?? findWithheld() ?? find();
}

function toMessageRow(row: WholeWithheldRow): MessageRow {
  return { ...row, ...toSummaryRow(row), withheld: row.reason };
}

/** Converts a withheld mail to the row of the message that it would be. */
export function toSummaryRow({
  summary: json,
  at,
  id,
  inbox_id,
  envelope_recipient,
  size,
}: WithheldRow): SummaryRow {
  const summary = JSON.parse(json) as ParsedSummary;
  return {
    received_at: at,
    id,
    inbox_id,
    envelope_recipient,
    size,
    read_at: null,
    thread_id: null,
    status: summary.status,
    otp: summary.otp,
    otp_confidence: summary.otp_confidence,
    magic_link: summary.magic_link,
    has_html: Number(summary.has_html),
    attachment_count: summary.attachment_count,
    subject: summary.subject,
    from: summary.from,
    to: JSON.stringify(summary.to),
    cc: JSON.stringify(summary.cc),
    links: JSON.stringify(summary.links),
    tags: summary.tags.length > 0 ? JSON.stringify(summary.tags) : null,
  };
}

/** The summary of a message of this account by its public id, if it is not withheld. */
export function findOwnSummary(reading: Reading, accountNo: number, id: string): SummaryRow | null {
  const row = reading
    .sql(
      `SELECT ${SUMMARY}
       FROM message m JOIN inbox i ON i.no = m.inbox_no
       WHERE m.id = ? AND i.account_no = ? AND i.deleted_at IS NULL`,
    )
    .get(id, accountNo);
  return (row as SummaryRow | undefined) ?? null;
}

/**
 * Throws for a message without its mail: the store is damaged. It must not look deleted, or a client would believe
 * that.
 */
function requireWhole<Row extends { id: string; content: Uint8Array | null }>(
  row: Row | undefined,
): Row | null {
  if (row?.content === null) throw new Error(`the mail behind message ${row.id} is missing from the store`);
  return row ?? null;
}

/** A test checks its query plan. */
export const LATEST_TO = `SELECT received_at FROM message INDEXED BY message_recipient
  WHERE inbox_no = ? AND ${TO_SUB_ADDRESS}
  ORDER BY received_at DESC
  LIMIT 1`;

/** The newest message of an inbox, or the newest to one of its sub-addresses. */
export function findLatestMessage(
  reading: Reading,
  inboxNo: number,
  recipient: string | null = null,
): MessageRow | null {
  const row =
    recipient === null
      ? reading.sql(`${MESSAGE} WHERE m.inbox_no = ? ORDER BY m.received_at DESC LIMIT 1`).get(inboxNo)
      : reading.sql(`${MESSAGE} WHERE m.received_at = (${LATEST_TO})`).get(inboxNo, recipient);
  return requireWhole(row as MessageRow | undefined);
}

/** The mail of a message of this account, withheld or not. */
export function findOwnRaw(reading: Reading, accountNo: number, id: string): RawRow | null {
  const find = () =>
    reading
      .sql(
        `SELECT m.raw_no, m.id, m.received_at, r.envelope_from, r.helo, r.client_address, r.protocol, r.content,
           r.content_size, r.size, r.bytes
         FROM message m JOIN inbox i ON i.no = m.inbox_no LEFT JOIN raw r ON r.no = m.raw_no
         WHERE m.id = ? AND i.account_no = ? AND i.deleted_at IS NULL`,
      )
      .get(id, accountNo) as RawRow | undefined;
  return requireWhole(findInEither<RawRow>(find, () => findRawWithheld(reading, accountNo, id)));
}

/** The messages of an inbox that were received after a time, oldest first. A damaged one may have no sender. */
export function listForExport(
  reading: Reading,
  inboxNo: number,
  after: number,
  rows: number,
): { id: string; received_at: number; read_at: number | null; envelope_from: string }[] {
  return reading
    .sql(
      `SELECT m.id, m.received_at, m.read_at, coalesce(r.envelope_from, '') AS envelope_from
       FROM message m INDEXED BY message_inbox LEFT JOIN raw r ON r.no = m.raw_no
       WHERE m.inbox_no = ? AND m.received_at > ?
       ORDER BY m.received_at
       LIMIT ?`,
    )
    .all(inboxNo, after, rows) as {
    id: string;
    received_at: number;
    read_at: number | null;
    envelope_from: string;
  }[];
}

/** A piece of a large mail, compressed; null after the last one. */
export function readRawPiece(reading: Reading, rawNo: number, part: number): Buffer | null {
  const row = reading.sql('SELECT bytes FROM raw_chunk WHERE raw_no = ? AND part = ?').get(rawNo, part);
  return (row as { bytes: Buffer } | undefined)?.bytes ?? null;
}

/** Counts the messages after a time, up to `rows`, and returns the time of the last one counted. */
export function countArrived(
  reading: Reading,
  after: number,
  rows: number,
): { messages: number; last: number | null } {
  return reading
    .sql(
      `SELECT count(*) AS messages, max(received_at) AS last
       FROM (SELECT received_at FROM message WHERE received_at > ? ORDER BY received_at LIMIT ?)`,
    )
    .get(after, rows) as { messages: number; last: number | null };
}
