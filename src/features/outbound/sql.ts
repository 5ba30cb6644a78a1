import type { Reading } from '../../platform/store/operation.ts';
import type { outboundKinds, outboundStatuses } from '../../rules/outbound.ts';
import { THREAD_ID } from '../messages/threads/sql.ts';

export type OutboundKind = (typeof outboundKinds)[number];

/** For an email, the status of its worst recipient (docs/decisions.md, Outbound). */
export type OutboundStatus = (typeof outboundStatuses)[number];

/** An email that an account sends. */
export interface OutboundEmail {
  no: number;
  id: string;
  account_no: number;
  inbox_id: string | null;
  kind: OutboundKind;
  status: OutboundStatus;
  /** The domain whose DKIM key signs, in lower-case ASCII. */
  from_domain: string;
  /** This and the next four are written as in the API: `local@domain` or `Name <local@domain>`. Lists are JSON. */
  from_address: string;
  to: string;
  cc: string;
  bcc: string;
  reply_to: string | null;
  subject: string;
  /** Including its angle brackets. */
  message_id: string;
  attempts: number;
  last_error: string | null;
  created_at: number;
  /** No attempt is made after this. For a held email, when it is rejected. */
  expires_at: number;
  /** Who asked for an email that was held: the start of a key, or an email address. Null if it never was. */
  held_by: string | null;
  sent_at: number | null;
  /** Including its angle brackets. */
  in_reply_to: string | null;
  /** A JSON array, oldest first. */
  references: string;
  /** Null for an email from before schema 18. */
  reply_text: string | null;
  /** Null for an email from before schema 18, until a job has put it into its thread. */
  thread_id: string | null;
  /** JSON of OutboundAttachment[]. */
  attachments: string;
}

/** An attachment as the API lists it. */
export interface OutboundAttachment {
  filename: string;
  content_type: string;
  /** Decoded bytes. */
  size: number;
}

/** One recipient of an email. */
export interface OutboundRecipient {
  no: number;
  outbound_no: number;
  /** As in the RCPT command: the domain in lower-case ASCII. */
  email: string;
  domain: string;
  status: OutboundStatus;
  attempts: number;
  /** Null once it has its final status. */
  next_attempt_at: number | null;
  /** The remote server's last reply. */
  response: string | null;
}

const EMAIL = `no, id, account_no, inbox_id, kind, status, from_domain, from_address, "to", cc, bcc, reply_to,
  subject, message_id, attempts, last_error, created_at, expires_at, sent_at, in_reply_to, "references", reply_text,
  attachments, held_by, (SELECT ${THREAD_ID} FROM thread_sent m WHERE m.outbound_no = outbound_email.no) AS thread_id`;

/** Finds an email of this account by its public id. */
export function findOwnEmail(reading: Reading, accountNo: number, id: string): OutboundEmail | null {
  const row = reading
    .sql(`SELECT ${EMAIL} FROM outbound_email WHERE id = ? AND account_no = ?`)
    .get(id, accountNo);
  return (row as OutboundEmail | undefined) ?? null;
}

/** Finds an email of this account by its row number. */
export function findEmailByNo(reading: Reading, accountNo: number, no: number): OutboundEmail | null {
  const row = reading
    .sql(`SELECT ${EMAIL} FROM outbound_email WHERE no = ? AND account_no = ?`)
    .get(no, accountNo);
  return (row as OutboundEmail | undefined) ?? null;
}

/** Returns the statement that lists all emails, or those with one status. A test checks the plans. */
export function writeEmailList(status: OutboundStatus | null): string {
  return `SELECT ${EMAIL}
    FROM outbound_email INDEXED BY ${status === null ? 'outbound_email_account' : 'outbound_email_status'}
    WHERE account_no = ? ${status === null ? '' : 'AND status = ?'} AND no < ?
    ORDER BY no DESC
    LIMIT ?`;
}

/** Returns an account's emails before a row number, newest first. */
export function listEmails(
  reading: Reading,
  accountNo: number,
  status: OutboundStatus | null,
  before: number,
  rows: number,
): OutboundEmail[] {
  const values = status === null ? [] : [status];
  return reading.sql(writeEmailList(status)).all(accountNo, ...values, before, rows) as OutboundEmail[];
}

/** Returns the recipients of an email, in the order of to, cc, bcc. */
export function listRecipients(reading: Reading, outboundNo: number): OutboundRecipient[] {
  return reading
    .sql(
      `SELECT no, outbound_no, email, domain, status, attempts, next_attempt_at, response
       FROM outbound_recipient
       WHERE outbound_no = ?
       ORDER BY no`,
    )
    .all(outboundNo) as OutboundRecipient[];
}

/** A test checks its plan. */
export const QUEUED_EMAILS = `SELECT count(*) AS emails
  FROM outbound_email INDEXED BY outbound_email_waiting
  WHERE account_no = ? AND waiting = 1`;

/** Counts an account's emails with a waiting recipient, for the plan's cap. */
export function countQueued(reading: Reading, accountNo: number): number {
  return (reading.sql(QUEUED_EMAILS).get(accountNo) as { emails: number }).emails;
}

/** Sums the composed bytes of an account's waiting emails. */
export function countQueuedBytes(reading: Reading, accountNo: number): number {
  const row = reading
    .sql(
      `SELECT coalesce(sum(size), 0) AS bytes
       FROM outbound_email INDEXED BY outbound_email_waiting
       WHERE account_no = ? AND waiting = 1`,
    )
    .get(accountNo);
  return (row as { bytes: number }).bytes;
}

/** Counts the waiting emails of all accounts. */
export function countAllQueued(reading: Reading): number {
  const row = reading
    .sql(
      `SELECT count(*) AS emails
       FROM outbound_email INDEXED BY outbound_email_waiting
       WHERE waiting = 1`,
    )
    .get();
  return (row as { emails: number }).emails;
}

/** The sending state of an account: its allowlist, its hold, and the recipients of the current hour and day. */
export interface Sending {
  allowlist_on: number;
  hour_from: number;
  hour_recipients: number;
  day_from: number;
  day_recipients: number;
  /** Whether members' emails wait for an owner's approval. */
  hold_on: number;
}

export function readSending(reading: Reading, accountNo: number): Sending {
  const row = reading
    .sql(
      `SELECT allowlist_on, hour_from, hour_recipients, day_from, day_recipients, hold_on
       FROM outbound_account
       WHERE account_no = ?`,
    )
    .get(accountNo) as Sending | undefined;
  const none = {
    allowlist_on: 0,
    hour_from: 0,
    hour_recipients: 0,
    day_from: 0,
    day_recipients: 0,
    hold_on: 0,
  };
  return row ?? none;
}
