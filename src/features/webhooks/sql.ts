import type { Reading } from '../../platform/store/operation.ts';
import type { Plan } from '../../rules/plans.ts';
import type { DeliveryStatus, DisabledReason } from './wire.ts';

/** The webhook of a live inbox. */
export interface Webhook {
  inbox_no: number;
  inbox_id: string;
  account_no: number;
  plan: Plan;
  url: string;
  is_enabled: number;
  disabled_reason: DisabledReason | null;
  /** Sealed (secret.ts). */
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_until: number | null;
  /** Failed attempts in a row, and when the first of them was. */
  failures: number;
  failing_since: number | null;
  created_at: number;
  updated_at: number;
}

/** A delivery that is due. */
export interface DueDelivery {
  no: number;
  id: string;
  message_id: string;
  tries: number;
  due_at: number;
  created_at: number;
}

/** A delivery as its history shows it. */
export interface Delivery extends DueDelivery {
  inbox_no: number;
  status: DeliveryStatus;
  /** JSON: Attempt[]. */
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

export function findWebhook(reading: Reading, inboxNo: number): Webhook | null {
  const row = reading
    .sql(
      `SELECT w.inbox_no, i.id AS inbox_id, i.account_no, a.plan, w.url, w.is_enabled, w.disabled_reason, w.secret,
         w.previous_secret, w.previous_until, w.failures, w.failing_since, w.created_at, w.updated_at
       FROM webhook w JOIN inbox i ON i.no = w.inbox_no JOIN account a ON a.no = i.account_no
       WHERE w.inbox_no = ? AND i.deleted_at IS NULL`,
    )
    .get(inboxNo);
  return (row as Webhook | undefined) ?? null;
}

/** Inboxes whose webhook is on and has pending deliveries. Only used at the start. */
export function listWaitingWebhooks(reading: Reading): number[] {
  const rows = reading
    .sql(
      `SELECT w.inbox_no
       FROM webhook w
       WHERE w.is_enabled = 1
         AND EXISTS (SELECT 1 FROM delivery d WHERE d.inbox_no = w.inbox_no AND d.status = 'pending')
       ORDER BY w.inbox_no`,
    )
    .all() as { inbox_no: number }[];
  return rows.map(({ inbox_no }) => inbox_no);
}

/** A test checks its plan: with 100,000 pending deliveries it must cost the same as with none. */
export const DUE_DELIVERIES = `SELECT no, id, message_id, tries, due_at, created_at
  FROM delivery INDEXED BY delivery_due
  WHERE inbox_no = ? AND status = 'pending' AND due_at <= ?
  ORDER BY due_at, no
  LIMIT ?`;

/** The due deliveries of an inbox, in the order in which they start. */
export function listDueDeliveries(
  reading: Reading,
  inboxNo: number,
  nowUs: number,
  rows: number,
): DueDelivery[] {
  return reading.sql(DUE_DELIVERIES).all(inboxNo, nowUs, rows) as DueDelivery[];
}

export const NEXT_DUE_DELIVERY = `SELECT min(due_at) AS due_at
  FROM delivery INDEXED BY delivery_due
  WHERE inbox_no = ? AND status = 'pending' AND due_at > ?`;

/** When the next delivery after now is due; null when none is pending. */
export function findNextDueAt(reading: Reading, inboxNo: number, nowUs: number): number | null {
  return (reading.sql(NEXT_DUE_DELIVERY).get(inboxNo, nowUs) as { due_at: number | null }).due_at;
}

/** A scrape of /metrics must not read a queue of millions, so the count stops here. */
const COUNTED_MAX = 100_000;

export const PENDING = `SELECT count(*) AS pending
  FROM (SELECT 1 FROM delivery INDEXED BY delivery_due WHERE status = 'pending' LIMIT ?)`;

/** How many deliveries are pending, counted up to COUNTED_MAX. */
export function countPendingDeliveries(reading: Reading): number {
  return (reading.sql(PENDING).get(COUNTED_MAX) as { pending: number }).pending;
}

const DELIVERY = 'no, id, inbox_no, message_id, status, tries, due_at, created_at, attempts, answer';

export const HISTORY = `SELECT ${DELIVERY}
  FROM delivery INDEXED BY delivery_inbox
  WHERE inbox_no = ?
  ORDER BY no DESC
  LIMIT ?`;

/** The deliveries of an inbox, newest first. */
export function listDeliveries(reading: Reading, inboxNo: number, rows: number): Delivery[] {
  return reading.sql(HISTORY).all(inboxNo, rows) as Delivery[];
}

/** All webhooks of an account with their inboxes, newest inbox first. */
export function listWebhooks(reading: Reading, accountNo: number): (Webhook & { address: string })[] {
  return reading
    .sql(
      `SELECT w.inbox_no, i.id AS inbox_id, i.address, i.account_no, a.plan, w.url, w.is_enabled,
         w.disabled_reason, w.secret, w.previous_secret, w.previous_until, w.failures, w.failing_since,
         w.created_at, w.updated_at
       FROM inbox i INDEXED BY inbox_account JOIN webhook w ON w.inbox_no = i.no
         JOIN account a ON a.no = i.account_no
       WHERE i.account_no = ? AND i.deleted_at IS NULL
       ORDER BY i.no DESC`,
    )
    .all(accountNo) as (Webhook & { address: string })[];
}

/** Finds a delivery of a live inbox by its event id. */
export function findDelivery(reading: Reading, id: string): Delivery | null {
  const row = reading
    .sql(
      `SELECT ${DELIVERY}
       FROM delivery
       WHERE id = ? AND EXISTS (SELECT 1 FROM inbox i WHERE i.no = inbox_no AND i.deleted_at IS NULL)`,
    )
    .get(id);
  return (row as Delivery | undefined) ?? null;
}
