import type { ContentColumns, MailColumns } from '../../../platform/mail/stored-mail.ts';
import type { Reading } from '../../../platform/store/operation.ts';
import type { WithheldReason } from '../../../rules/senders.ts';

/*
 * Mail that an inbox's sender lists withhold. It has a table of its own, so that nothing that reads messages (lists,
 * searches, waits, streams, webhooks, public reads) can show it by mistake, and a flood from a blocked sender slows
 * none of them down.
 */

export interface WithheldRow {
  at: number;
  id: string;
  inbox_no: number;
  inbox_id: string;
  account_no: number;
  raw_no: number;
  reason: WithheldReason;
  envelope_recipient: string;
  size: number;
  metadata: string;
  /** JSON of ParsedSummary. */
  summary: string;
}

/** A withheld mail with the content of a whole message. */
export interface WholeWithheldRow extends WithheldRow, ContentColumns {
  envelope_from: string;
  smtp_user: string | null;
  authentication: string | null;
}

/** A withheld mail with its bytes. */
export interface RawWithheldRow extends MailColumns {
  raw_no: number;
  id: string;
  received_at: number;
  envelope_from: string;
  helo: string;
  client_address: string;
  protocol: string;
}

const COLUMNS = `w.at, w.id, w.inbox_no, i.id AS inbox_id, w.account_no, w.raw_no, w.reason, w.envelope_recipient,
  w.size, w.metadata, w.summary`;
const OWN = 'w.id = ? AND w.account_no = ? AND i.deleted_at IS NULL';

export const WITHHELD_LIST = `SELECT ${COLUMNS}
  FROM withheld w INDEXED BY withheld_inbox CROSS JOIN inbox i ON i.no = w.inbox_no
  WHERE w.inbox_no = ? AND w.at < ?
  ORDER BY w.at DESC
  LIMIT ?`;

/** The withheld mails of an inbox from before a time, newest first. */
export function listWithheld(reading: Reading, inboxNo: number, before: number, rows: number): WithheldRow[] {
  return reading.sql(WITHHELD_LIST).all(inboxNo, before, rows) as WithheldRow[];
}

export function findOwnWithheld(reading: Reading, accountNo: number, id: string): WithheldRow | null {
  const row = reading
    .sql(`SELECT ${COLUMNS} FROM withheld w JOIN inbox i ON i.no = w.inbox_no WHERE ${OWN}`)
    .get(id, accountNo);
  return (row as WithheldRow | undefined) ?? null;
}

export function findWholeWithheld(reading: Reading, accountNo: number, id: string): WholeWithheldRow | null {
  const row = reading
    .sql(
      `SELECT ${COLUMNS}, r.envelope_from, r.smtp_user, r.content, r.content_size, a.verdicts AS authentication
       FROM withheld w JOIN inbox i ON i.no = w.inbox_no LEFT JOIN raw r ON r.no = w.raw_no
         LEFT JOIN authentication a ON a.raw_no = w.raw_no
       WHERE ${OWN}`,
    )
    .get(id, accountNo);
  return (row as WholeWithheldRow | undefined) ?? null;
}

export function findRawWithheld(reading: Reading, accountNo: number, id: string): RawWithheldRow | null {
  const row = reading
    .sql(
      `SELECT w.raw_no, w.id, w.at AS received_at, r.envelope_from, r.helo, r.client_address, r.protocol, r.content,
         r.content_size, r.size, r.bytes
       FROM withheld w JOIN inbox i ON i.no = w.inbox_no LEFT JOIN raw r ON r.no = w.raw_no
       WHERE ${OWN}`,
    )
    .get(id, accountNo);
  return (row as RawWithheldRow | undefined) ?? null;
}

/** The account of a withheld mail that the operator names. */
export function findWithheldAccount(reading: Reading, id: string): number | null {
  const row = reading.sql('SELECT account_no FROM withheld WHERE id = ?').get(id);
  return (row as Pick<WithheldRow, 'account_no'> | undefined)?.account_no ?? null;
}

/** The withheld messages of one mail in live inboxes, oldest first: at most one per recipient. */
export function listWithheldOfMail(reading: Reading, rawNo: number): WithheldRow[] {
  return reading
    .sql(
      `SELECT ${COLUMNS}
       FROM withheld w INDEXED BY withheld_raw CROSS JOIN inbox i ON i.no = w.inbox_no
       WHERE w.raw_no = ? AND i.deleted_at IS NULL
       ORDER BY w.at`,
    )
    .all(rawNo) as WithheldRow[];
}
