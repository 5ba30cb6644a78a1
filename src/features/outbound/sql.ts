import type { Reading } from '../../platform/store/operation.ts';
import type { outboundStatuses } from '../../rules/outbound.ts';
import { THREAD_ID } from '../messages/threads/sql.ts';

export type OutboundKind = 'send' | 'reply' | 'forward' | 'compose';

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
  /** Lower-case ASCII. Its DKIM key signs. */
  from_domain: string;
  /** This and the next four are as in the API: `local@domain` or `Name <local@domain>`; lists are JSON. */
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
  /** No attempts after this; of a held one, when it is rejected. */
  expires_at: number;
  /** Who asked for an email that was held: the start of a key, or an email address. Null for any other. */
  held_by: string | null;
  sent_at: number | null;
  /** Including its angle brackets. */
  in_reply_to: string | null;
  /** A JSON array, oldest first. */
  references: string;
  /** Null before schema 18. */
  reply_text: string | null;
  /** Null until a job has put it into its thread, if it is of before schema 18. */
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
  /** Null when finished. */
  next_attempt_at: number | null;
  /** The remote server's last reply. */
  response: string | null;
}

const EMAIL = `no, id, account_no, inbox_id, kind, status, from_domain, from_address, "to", cc, bcc, reply_to,
  subject, message_id, attempts, last_error, created_at, expires_at, sent_at, in_reply_to, "references", reply_text,
  attachments, held_by, (SELECT ${THREAD_ID} FROM thread_sent m WHERE m.outbound_no = outbound_email.no) AS thread_id`;

/** An email of this account, by its public id. */
export function ownEmail(reading: Reading, accountNo: number, id: string): OutboundEmail | null {
  const row = reading
    .sql(`SELECT ${EMAIL} FROM outbound_email WHERE id = ? AND account_no = ?`)
    .get(id, accountNo);
  return (row as OutboundEmail | undefined) ?? null;
}

/** An email of this account, by its row. */
export function findEmailByNo(reading: Reading, accountNo: number, no: number): OutboundEmail | null {
  const row = reading
    .sql(`SELECT ${EMAIL} FROM outbound_email WHERE no = ? AND account_no = ?`)
    .get(no, accountNo);
  return (row as OutboundEmail | undefined) ?? null;
}

/** The statement of a list, of all emails or of those of one status. A test checks the plans. */
export function writeEmailList(status: OutboundStatus | null): string {
  return `SELECT ${EMAIL}
    FROM outbound_email INDEXED BY ${status === null ? 'outbound_email_account' : 'outbound_email_status'}
    WHERE account_no = ? ${status === null ? '' : 'AND status = ?'} AND no < ?
    ORDER BY no DESC
    LIMIT ?`;
}

/** The emails of an account before a row number, newest first. */
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

/** The recipients of an email, in the order of to, cc, bcc. */
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

/** How many emails of an account have a waiting recipient; counts against the cap. */
export function countQueued(reading: Reading, accountNo: number): number {
  return (reading.sql(QUEUED_EMAILS).get(accountNo) as { emails: number }).emails;
}

/** Composed bytes of an account's waiting emails. */
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

/** How many emails of all accounts are waiting. */
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

/** The sending state of an account: its allowlist, and the recipients of the current hour and day. */
export interface Sending {
  allowlist_on: number;
  hour_from: number;
  hour_recipients: number;
  day_from: number;
  day_recipients: number;
  /** Whether members' emails wait for an owner. */
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

/** Whether an address (lower case) is on an account's suppression list. */
export function isSuppressed(reading: Reading, accountNo: number, email: string, nowUs: number): boolean {
  const row = reading
    .sql('SELECT 1 FROM suppression WHERE account_no = ? AND email = ? AND expires_at > ?')
    .get(accountNo, email, nowUs);
  return row !== undefined;
}
