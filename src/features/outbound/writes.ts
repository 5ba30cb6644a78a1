/**
 * The API's writes: new emails, their recipients and the caps they count against. The dispatcher writes the rest
 * (sending/writes.ts).
 */

import { countSecondsUntil, DAY_US, HOUR_US, SECOND_US } from '../../platform/core/clock.ts';
import { type FieldReasons, fail } from '../../platform/core/failure.ts';
import type { OnceRequest } from '../../platform/http/route.ts';
import { withIdempotency } from '../../platform/http/writes.ts';
import type { Placing } from '../../platform/mail/message-ids.ts';
import {
  type AnyWriteOp,
  type AuditedTx,
  auditedOp,
  jobOp,
  type Reading,
  type Tx,
} from '../../platform/store/operation.ts';
import { outbound as rules } from '../../rules/outbound.ts';
import { findAccountByNo } from '../accounts/sql.ts';
import { meterRecipients } from '../accounts/usage/writes.ts';
import { findActorName } from '../audit/writes.ts';
import { takeTime } from '../events/writes.ts';
import { addSent, removeSent } from '../messages/threads/writes.ts';
import { isApproved } from './allowlist/sql.ts';
import { countHeld, isHeldFrom } from './hold/sql.ts';
import { insertMime, mimeWrites, type StoredMime } from './mime/writes.ts';
import { recordEmailEvent } from './sending/writes.ts';
import {
  countQueued,
  countQueuedBytes,
  findOwnEmail,
  listRecipients,
  type OutboundAttachment,
  type OutboundEmail,
  type OutboundRecipient,
  type OutboundStatus,
  readSending,
  type Sending,
} from './sql.ts';
import { isSuppressed } from './suppression/sql.ts';

/** Suggested wait when the queue is full. Nobody knows how fast the remote servers will empty it. */
const QUEUE_RETRY_S = 60;

/** A recipient to queue. */
export interface NewRecipient {
  /** As in the RCPT command. */
  email: string;
  /** Lower-case ASCII. */
  domain: string;
  /** The request field that names it, for errors. */
  field: string;
}

export interface NewEmail
  extends Pick<
    OutboundEmail,
    | 'id'
    | 'account_no'
    | 'inbox_id'
    | 'kind'
    | 'from_domain'
    | 'from_address'
    | 'to'
    | 'cc'
    | 'bcc'
    | 'reply_to'
    | 'subject'
    | 'message_id'
    | 'in_reply_to'
    | 'references'
    | 'reply_text'
  > {
  /** The numbers of its Message-ID and of those that it refers to, which find its thread. */
  placing: Placing;
  /** The bare address of From. */
  sender: string;
  /** The id of the message that it replies to. */
  answers: string | null;
  /** Without duplicates. */
  recipients: readonly NewRecipient[];
  attachments: readonly OutboundAttachment[];
  stored: StoredMime;
}

/** The plan's caps. */
export interface SendingCaps {
  queued: number;
  perHour: number;
  perDay: number;
}

/** An email with its recipients. */
export interface WholeEmail {
  email: OutboundEmail;
  recipients: OutboundRecipient[];
}

export interface Queueing {
  email: NewEmail;
  caps: SendingCaps;
  /** How long it waits for an owner, in seconds, if the account or the inbox holds emails. Null if an owner sends it. */
  holdForS: number | null;
  once: OnceRequest | null;
}

/**
 * Queues an email, due now, or holds it for an owner. Fails with recipient_rejected, recipient_not_approved,
 * outbound_rate_limited or outbound_quota_exceeded, and then counts nothing.
 */
export const queueEmailOp = auditedOp(
  'outbound.queue',
  (tx, { once, ...queueing }: Queueing): WholeEmail => withIdempotency(tx, once, () => queue(tx, queueing)),
);

function queue(tx: AuditedTx, { email, caps, holdForS }: Omit<Queueing, 'once'>): WholeEmail {
  if (holdForS === null || !isHeldFrom(tx, email.account_no, email.sender)) return queueNow(tx, email, caps);
  checkSender(tx, email);
  checkHeldBounds(tx, email);
  const held = { until: tx.nowUs + holdForS * SECOND_US, by: findActorName(tx) };
  const whole = insertEmail(tx, email, held);
  recordEmailEvent(tx, whole.email.no, 'email.held');
  return whole;
}

/** Queues an email that needs no approval. Other operations call it in their own transaction, too. */
export function queueNow(tx: Tx, email: NewEmail, caps: SendingCaps): WholeEmail {
  checkSender(tx, email);
  const wanted = { recipients: email.recipients.length, size: readLargeSize(email) };
  reserveQuota(tx, email.account_no, wanted, caps);
  return insertEmail(tx, email, null);
}

function checkSender(tx: Tx, email: NewEmail): void {
  // The key was valid when the request arrived, but the account may have been deleted since.
  if (!findAccountByNo(tx, email.account_no)) fail('authentication_required');
  checkRecipients(tx, email);
}

/** Returns the size of a large email; 0 for a small one, since small ones are bounded by their number. */
const readLargeSize = ({ stored }: NewEmail) => ('large_no' in stored ? stored.size : 0);

/** Takes a place in the queue, and counts the recipients. Over a cap it fails, and counts nothing. */
export function reserveQuota(
  tx: Tx,
  accountNo: number,
  { recipients, size }: { recipients: number; size: number },
  caps: SendingCaps,
): void {
  const isFull =
    countQueued(tx, accountNo) >= caps.queued ||
    (size > 0 && countQueuedBytes(tx, accountNo) + size > rules.queuedBytesMax);
  if (isFull) fail('outbound_rate_limited', { retryAfterS: QUEUE_RETRY_S });
  countRecipients(tx, accountNo, recipients, caps);
}

/** Held emails have a bound of their own, so that a member can fill neither the store nor the owner's queue. */
function checkHeldBounds(tx: Tx, email: NewEmail): void {
  const size = readLargeSize(email);
  const held = countHeld(tx, email.account_no);
  if (held.emails < rules.heldMax && (size === 0 || held.bytes + size <= rules.queuedBytesMax)) return;
  fail('outbound_rate_limited', {
    text: "Too many emails are waiting for an owner's approval. An owner must approve or reject some first.",
    retryAfterS: QUEUE_RETRY_S,
  });
}

function checkRecipients(tx: Tx, { account_no, recipients }: NewEmail): void {
  const lower = (wanted: NewRecipient) => wanted.email.toLowerCase();
  const suppressed = recipients.filter((wanted) => isSuppressed(tx, account_no, lower(wanted), tx.nowUs));
  if (suppressed.length > 0) {
    fail('recipient_rejected', { fields: makeReasons(suppressed, 'is on the suppression list') });
  }
  if (readSending(tx, account_no).allowlist_on === 0) return;
  const strangers = recipients.filter((wanted) => !isApproved(tx, account_no, lower(wanted)));
  if (strangers.length > 0) {
    fail('recipient_not_approved', { fields: makeReasons(strangers, 'is not an approved recipient') });
  }
}

function makeReasons(wanted: readonly NewRecipient[], reason: string): FieldReasons {
  const fields: FieldReasons = {};
  for (const { field, email } of wanted) fields[field] = [...(fields[field] ?? []), `${email} ${reason}`];
  return fields;
}

/**
 * Counts recipients in windows of an hour and a day, each starting with its first. Over a cap it fails, and counts
 * nothing.
 */
function countRecipients(tx: Tx, accountNo: number, recipients: number, caps: SendingCaps): void {
  const windows = readWindows(readSending(tx, accountNo), tx.nowUs);
  const { hour, day } = windows;
  const fullUntil = findFullUntil(windows, recipients, caps);
  if (fullUntil !== null) {
    const retryAfterS = countSecondsUntil(fullUntil, tx.nowUs);
    fail('outbound_quota_exceeded', { retryAfterS });
  }
  tx.sql(
    `INSERT INTO outbound_account
       (account_no, allowlist_on, hour_from, hour_recipients, day_from, day_recipients)
     VALUES (?, 0, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET hour_from = excluded.hour_from, hour_recipients = excluded.hour_recipients,
       day_from = excluded.day_from, day_recipients = excluded.day_recipients`,
  ).run(accountNo, hour.from, hour.used + recipients, day.from, day.used + recipients);
  meterRecipients(tx, accountNo, recipients);
}

/** Whether an account may send to one more recipient now. Asked before composing an email that would be refused. */
export function isQuotaLeft(reading: Reading, accountNo: number, caps: SendingCaps, nowUs: number): boolean {
  return findFullUntil(readWindows(readSending(reading, accountNo), nowUs), 1, caps) === null;
}

interface Window {
  from: number;
  used: number;
}

interface Windows {
  hour: Window;
  day: Window;
}

/** Returns what an account has used of its hour and its day. */
export function readWindows(sending: Sending, nowUs: number): Windows {
  return {
    hour: makeWindow(sending.hour_from, sending.hour_recipients, HOUR_US, nowUs),
    day: makeWindow(sending.day_from, sending.day_recipients, DAY_US, nowUs),
  };
}

/** Returns when there is room for more recipients: at the later of the two ends. Null if there is room now. */
function findFullUntil({ hour, day }: Windows, recipients: number, caps: SendingCaps): number | null {
  const ends: number[] = [];
  if (hour.used + recipients > caps.perHour) ends.push(hour.from + HOUR_US);
  if (day.used + recipients > caps.perDay) ends.push(day.from + DAY_US);
  return ends.length > 0 ? Math.max(...ends) : null;
}

/** Returns a window's current state. One that starts in the future is from before the clock was set back. */
function makeWindow(from: number, used: number, lengthUs: number, nowUs: number): Window {
  if (nowUs >= from + lengthUs) return { from: nowUs, used: 0 };
  return { from: Math.min(from, nowUs), used };
}

/** Until when an email waits for an owner, and who asked for it. */
interface Held {
  until: number;
  by: string | null;
}

function insertEmail(tx: Tx, email: NewEmail, held: Held | null): WholeEmail {
  const status: OutboundStatus = held ? 'held' : 'queued';
  const { lastInsertRowid } = tx
    .sql(
      `INSERT INTO outbound_email (id, account_no, inbox_id, kind, status, from_domain, from_address, "to", cc, bcc,
         reply_to, subject, message_id, attempts, created_at, expires_at, in_reply_to, "references", reply_text,
         attachments, size, waiting, held_by)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      email.id,
      email.account_no,
      email.inbox_id,
      email.kind,
      status,
      email.from_domain,
      email.from_address,
      email.to,
      email.cc,
      email.bcc,
      email.reply_to,
      email.subject,
      email.message_id,
      tx.nowUs,
      held?.until ?? tx.nowUs + rules.queueS * SECOND_US,
      email.in_reply_to,
      email.references,
      email.reply_text,
      JSON.stringify(email.attachments),
      email.stored.size,
      held ? 0 : 1,
      held?.by ?? null,
    );
  const no = Number(lastInsertRowid);
  const { account_no, id, placing, answers } = email;
  addSent(tx, { ...placing, account_no, outbound_no: no, id, answers, at: takeTime(tx) });
  for (const { email: address, domain } of email.recipients) {
    tx.sql(
      `INSERT INTO outbound_recipient (outbound_no, email, domain, status, attempts, next_attempt_at)
       VALUES (?, ?, ?, ?, 0, ?)`,
    ).run(no, address, domain, status, held ? null : tx.nowUs);
  }
  insertMime(tx, no, email.stored);
  return { email: findOwnEmail(tx, email.account_no, email.id)!, recipients: listRecipients(tx, no) };
}

/**
 * Reads the oldest emails that have ended and no others, however many the account has. A test checks its plan: without
 * a sort, it stops at the limit.
 */
export const OLDEST_ENDED = `SELECT no, created_at
  FROM outbound_email INDEXED BY outbound_email_account
  WHERE account_no = ? AND waiting = 0 AND status <> 'held'
  ORDER BY no
  LIMIT ?`;

/** Forgets the oldest emails of an account, except those that wait or are held. Returns how many there were. */
export const forgetEmailsOp = jobOp(
  'outbound.forget',
  (tx, { account_no, before, max }: { account_no: number; before: number; max: number }): number => {
    const oldest = tx.sql(OLDEST_ENDED).all(account_no, max) as { no: number; created_at: number }[];
    const old = oldest.filter(({ created_at }) => created_at < before);
    for (const { no } of old) {
      removeSent(tx, account_no, no);
      tx.sql('DELETE FROM outbound_email WHERE no = ?').run(no);
    }
    return old.length;
  },
);

export const outboundWrites: readonly AnyWriteOp[] = [queueEmailOp, forgetEmailsOp, ...mimeWrites];
