import type { Reading } from '../../platform/store/operation.ts';
import type { EventKind } from '../../rules/events.ts';
import type { AccountStatus, Plan } from '../../rules/plans.ts';
import type { DeliveryStatus, DisabledReason } from './wire.ts';

/** The webhook of a live inbox, or of a whole account. */
export interface Webhook {
  no: number;
  id: string;
  account_no: number;
  /** Null for a webhook of the whole account. */
  inbox_no: number | null;
  inbox_id: string | null;
  address: string | null;
  plan: Plan;
  /** The account's status. Only an active account's events are sent. */
  status: AccountStatus;
  /** A JSON array of the kinds of events that it asks for. */
  events: string;
  url: string;
  is_enabled: number;
  disabled_reason: DisabledReason | null;
  /** Encrypted (secret.ts). */
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_until: number | null;
  /** How many attempts in a row have failed. */
  failures: number;
  /** When the first of these was. */
  failing_since: number | null;
  created_at: number;
  updated_at: number;
}

/** An event that is due at a webhook. */
export interface DueDelivery {
  no: number;
  /** The event's id. */
  id: string;
  kind: EventKind;
  account_no: number;
  subject_id: string;
  note: string | null;
  tries: number;
  due_at: number;
  /** When the event happened. */
  created_at: number;
}

/** A delivery with its history. */
export interface Delivery extends DueDelivery {
  event_no: number;
  webhook_no: number;
  status: DeliveryStatus;
  /** JSON of Attempt[]. */
  attempts: string;
  /** The receiver's answer to the last failed attempt, shortened. */
  answer: string | null;
}

/** One attempt to deliver. */
export interface Attempt {
  at: number;
  response_status: number | null;
  error: string | null;
  duration_ms: number;
}

const WEBHOOK = `w.no, w.id, w.account_no, w.inbox_no, i.id AS inbox_id, i.address, a.plan, a.status, w.events, w.url,
  w.is_enabled, w.disabled_reason, w.secret, w.previous_secret, w.previous_until, w.failures, w.failing_since, w.created_at,
  w.updated_at`;
const LIVE = 'w.removed_at IS NULL AND i.deleted_at IS NULL AND a.deleted_at IS NULL';
const JOINED = 'JOIN account a ON a.no = w.account_no LEFT JOIN inbox i ON i.no = w.inbox_no';
const LIVE_WEBHOOK = `SELECT ${WEBHOOK}
  FROM webhook w ${JOINED}
  WHERE ${LIVE}`;

/** Finds the webhook of an inbox. */
export function findWebhook(reading: Reading, inboxNo: number): Webhook | null {
  return (reading.sql(`${LIVE_WEBHOOK} AND w.inbox_no = ?`).get(inboxNo) as Webhook | undefined) ?? null;
}

export function findWebhookByNo(reading: Reading, no: number): Webhook | null {
  return (reading.sql(`${LIVE_WEBHOOK} AND w.no = ?`).get(no) as Webhook | undefined) ?? null;
}

/** Finds a webhook of any account by its public id, for the operator. */
export function findWebhookById(reading: Reading, id: string): Webhook | null {
  return (reading.sql(`${LIVE_WEBHOOK} AND w.id = ?`).get(id) as Webhook | undefined) ?? null;
}

/** Finds a webhook of the whole account. */
export function findAccountWebhook(reading: Reading, accountNo: number, id: string): Webhook | null {
  const row = reading
    .sql(`${LIVE_WEBHOOK} AND w.id = ? AND w.account_no = ? AND w.inbox_no IS NULL`)
    .get(id, accountNo);
  return (row as Webhook | undefined) ?? null;
}

/** A test checks the plan of this and of the count: an account may have removed very many webhooks. */
export const ACCOUNT_WEBHOOKS = `SELECT ${WEBHOOK}
  FROM webhook w INDEXED BY webhook_live ${JOINED}
  WHERE ${LIVE} AND w.account_no = ? AND w.inbox_no IS NULL AND w.no < ?
  ORDER BY w.no DESC
  LIMIT ?`;

/** Returns the webhooks of the whole account before a row number, newest first. */
export function listAccountWebhooks(
  reading: Reading,
  accountNo: number,
  before: number,
  rows: number,
): Webhook[] {
  return reading.sql(ACCOUNT_WEBHOOKS).all(accountNo, before, rows) as Webhook[];
}

export const ACCOUNT_WEBHOOKS_COUNT = `SELECT count(*) AS hooks
  FROM webhook INDEXED BY webhook_live
  WHERE account_no = ? AND inbox_no IS NULL AND removed_at IS NULL`;

export function countAccountWebhooks(reading: Reading, accountNo: number): number {
  const row = reading.sql(ACCOUNT_WEBHOOKS_COUNT).get(accountNo);
  return (row as { hooks: number }).hooks;
}

/** A webhook that may have something to send. */
export interface WaitingWebhook {
  no: number;
  account_no: number;
}

/** Returns the webhooks that are on and have pending deliveries, of one account or of all. */
export function listWaitingWebhooks(reading: Reading, accountNo: number | null = null): WaitingWebhook[] {
  const rows = reading
    .sql(
      `SELECT w.no, w.account_no
       FROM webhook w
       WHERE w.is_enabled = 1 ${accountNo === null ? '' : 'AND w.account_no = ?'}
         AND EXISTS (SELECT 1 FROM delivery d WHERE d.webhook_no = w.no AND d.status = 'pending')
       ORDER BY w.no`,
    )
    .all(...(accountNo === null ? [] : [accountNo]));
  return rows as WaitingWebhook[];
}

/** Returns the account of a webhook; null if it was erased. */
export function findWebhookAccount(reading: Reading, no: number): number | null {
  const row = reading.sql('SELECT account_no FROM webhook WHERE no = ?').get(no);
  return (row as { account_no: number } | undefined)?.account_no ?? null;
}

const DUE = 'd.no, e.id, e.kind, e.account_no, e.subject_id, e.note, d.tries, d.due_at, e.created_at';

/** A test checks its plan: with 100,000 pending deliveries it must cost the same as with none. */
export const NEXT_DELIVERY = `SELECT ${DUE}
  FROM delivery d INDEXED BY delivery_due CROSS JOIN event e ON e.no = d.event_no
  WHERE d.webhook_no = ? AND d.status = 'pending' AND d.due_at <= ?
    AND d.no NOT IN (SELECT value FROM json_each(?))
  ORDER BY d.due_at, d.event_no
  LIMIT 1`;

/** Returns the due delivery of a webhook that starts next, leaving out those that are in flight (by number). */
export function findNextDelivery(
  reading: Reading,
  webhookNo: number,
  nowUs: number,
  inFlight: readonly number[],
): DueDelivery | null {
  const row = reading.sql(NEXT_DELIVERY).get(webhookNo, nowUs, JSON.stringify(inFlight));
  return (row as DueDelivery | undefined) ?? null;
}

export const NEXT_DUE_DELIVERY = `SELECT min(due_at) AS due_at
  FROM delivery INDEXED BY delivery_due
  WHERE webhook_no = ? AND status = 'pending' AND due_at > ?`;

/** Returns when the next delivery after now is due; null if there is none. */
export function findNextDueAt(reading: Reading, webhookNo: number, nowUs: number): number | null {
  return (reading.sql(NEXT_DUE_DELIVERY).get(webhookNo, nowUs) as { due_at: number | null }).due_at;
}

/** A scrape of /metrics must not read a queue of millions, so the count stops here. */
const COUNTED_MAX = 100_000;

export const PENDING = `SELECT count(*) AS pending
  FROM (SELECT 1 FROM delivery INDEXED BY delivery_due WHERE status = 'pending' LIMIT ?)`;

/** Counts the pending deliveries, up to COUNTED_MAX. */
export function countPendingDeliveries(reading: Reading): number {
  return (reading.sql(PENDING).get(COUNTED_MAX) as { pending: number }).pending;
}

const DELIVERY = `${DUE}, d.event_no, d.webhook_no, d.status, d.attempts, d.answer`;

export const HISTORY = `SELECT ${DELIVERY}
  FROM delivery d INDEXED BY delivery_webhook CROSS JOIN event e ON e.no = d.event_no
  WHERE d.webhook_no = ? AND d.event_no < ?
  ORDER BY d.event_no DESC
  LIMIT ?`;

/** Returns the deliveries of a webhook before an event's row number, newest event first. */
export function listDeliveries(
  reading: Reading,
  webhookNo: number,
  rows: number,
  before = Number.MAX_SAFE_INTEGER,
): Delivery[] {
  return reading.sql(HISTORY).all(webhookNo, before, rows) as Delivery[];
}

/** Returns the deliveries of an inbox's webhook, even if it was removed. */
export function listInboxDeliveries(reading: Reading, inboxNo: number, rows: number): Delivery[] {
  const hook = reading.sql('SELECT no FROM webhook WHERE inbox_no = ?').get(inboxNo);
  return hook ? listDeliveries(reading, (hook as { no: number }).no, rows) : [];
}

type InboxWebhook = Webhook & { inbox_no: number; inbox_id: string; address: string };

/** A test checks its plan: an account has many more inboxes than webhooks, or thousands of both. */
export const INBOX_WEBHOOKS = `SELECT ${WEBHOOK}
  FROM webhook w INDEXED BY webhook_account ${JOINED}
  WHERE ${LIVE} AND w.account_no = ? AND w.inbox_no < ?
  ORDER BY w.inbox_no DESC
  LIMIT ?`;

/** Returns the webhooks of an account's inboxes before an inbox's row number, newest inbox first. */
export function listInboxWebhooks(
  reading: Reading,
  accountNo: number,
  before: number,
  rows: number,
): InboxWebhook[] {
  return reading.sql(INBOX_WEBHOOKS).all(accountNo, before, rows) as InboxWebhook[];
}

/** Returns the deliveries of an event, one for each webhook that gets it. */
export function listEventDeliveries(reading: Reading, eventId: string): Delivery[] {
  return reading
    .sql(
      `SELECT ${DELIVERY}
       FROM event e CROSS JOIN delivery d ON d.event_no = e.no
       WHERE e.id = ?
       ORDER BY d.no`,
    )
    .all(eventId) as Delivery[];
}
