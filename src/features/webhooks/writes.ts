/** Every write to webhooks and their deliveries. */

import { fail } from '../../platform/core/failure.ts';
import { newId } from '../../platform/core/id.ts';
import { type AnyWriteOp, jobOp, type Tx, writeOp } from '../../platform/store/operation.ts';
import { deliveries as rules } from '../../rules/deliveries.ts';
import { meterWebhookAttempt } from '../accounts/usage/writes.ts';
import { DELAY_US_MAX } from './backoff.ts';
import { type Attempt, type Delivery, findDelivery, findWebhook, type Webhook } from './sql.ts';
import type { DeliveryStatus, DisabledReason } from './wire.ts';

const SECOND_US = 1_000_000;

/**
 * Queues a delivery, due now, in the transaction that stores the message, if the inbox has a webhook that is on and
 * the account's plan includes webhooks. Returns whether it did.
 */
export function queueDelivery(
  tx: Tx,
  { no: inboxNo, account_no }: { no: number; account_no: number },
  messageId: string,
  plans: readonly string[],
): boolean {
  // Most inboxes have no webhook, so the plan is read only if there is one.
  const isOn = tx.sql('SELECT 1 FROM webhook WHERE inbox_no = ? AND is_enabled = 1').get(inboxNo);
  if (!isOn) return false;
  const { plan } = tx.sql('SELECT plan FROM account WHERE no = ?').get(account_no) as { plan: string };
  if (!plans.includes(plan)) return false;
  tx.sql(
    `INSERT INTO delivery (id, inbox_no, message_id, status, tries, due_at, created_at, attempts)
     VALUES (?, ?, ?, 'pending', 0, ?, ?, '[]')`,
  ).run(newId('event'), inboxNo, messageId, tx.nowUs, tx.nowUs);
  return true;
}

interface SetWebhook {
  inbox_no: number;
  url: string;
  /** Sealed. */
  secret: Uint8Array;
}

/** Creates the webhook, or changes its URL: turns it on, clears its failures and rotates the secret. */
export const setWebhookOp = writeOp('webhooks.set', (tx, { inbox_no, url, secret }: SetWebhook): Webhook => {
  tx.sql(
    `INSERT INTO webhook (inbox_no, url, is_enabled, secret, failures, created_at, updated_at)
     SELECT no, ?, 1, ?, 0, ?, ? FROM inbox WHERE no = ? AND deleted_at IS NULL
     ON CONFLICT DO UPDATE SET url = excluded.url, is_enabled = 1, disabled_reason = NULL,
       previous_secret = secret, previous_until = ?, secret = excluded.secret,
       failures = 0, failing_since = NULL, updated_at = excluded.updated_at`,
  ).run(url, secret, tx.nowUs, tx.nowUs, inbox_no, tx.nowUs + rules.previous_secret_s * SECOND_US);
  bringForward(tx, inbox_no);
  return findWebhook(tx, inbox_no) ?? fail('not_found');
});

/** Both secrets sign for a while, so that the receiver can switch over. */
export const rotateSecretOp = writeOp(
  'webhooks.rotate',
  (tx, { inbox_no, secret }: { inbox_no: number; secret: Uint8Array }): Webhook => {
    tx.sql(
      `UPDATE webhook
       SET previous_secret = secret, previous_until = ?, secret = ?, updated_at = ?
       WHERE inbox_no = ?`,
    ).run(tx.nowUs + rules.previous_secret_s * SECOND_US, secret, tx.nowUs, inbox_no);
    return findWebhook(tx, inbox_no) ?? fail('webhook_not_configured');
  },
);

/** Turning it on clears its failures and makes pending deliveries due now. */
export const switchWebhookOp = writeOp(
  'webhooks.switch',
  (tx, { inbox_no, on }: { inbox_no: number; on: boolean }): Webhook => {
    tx.sql(
      `UPDATE webhook
       SET is_enabled = ?, disabled_reason = ?, failures = 0, failing_since = NULL, updated_at = ?
       WHERE inbox_no = ?`,
    ).run(Number(on), on ? null : 'operator', tx.nowUs, inbox_no);
    if (on) bringForward(tx, inbox_no);
    return findWebhook(tx, inbox_no) ?? fail('webhook_not_configured');
  },
);

/** Makes deliveries that wait for a retry due now, after those that are already due. */
function bringForward(tx: Tx, inboxNo: number): void {
  tx.sql(`UPDATE delivery SET due_at = ? WHERE inbox_no = ? AND status = 'pending' AND due_at > ?`).run(
    tx.nowUs,
    inboxNo,
    tx.nowUs,
  );
}

/** Removes the webhook and gives up its pending deliveries. Their history stays. */
export const removeWebhookOp = writeOp(
  'webhooks.remove',
  (tx, { inbox_no }: { inbox_no: number }): Webhook => {
    const hook = findWebhook(tx, inbox_no) ?? fail('webhook_not_configured');
    tx.sql('DELETE FROM webhook WHERE inbox_no = ?').run(inbox_no);
    tx.sql(`UPDATE delivery SET status = 'failed' WHERE inbox_no = ? AND status = 'pending'`).run(inbox_no);
    return hook;
  },
);

/** Makes a delivery due now and restarts its retry schedule. */
export const retryDeliveryOp = writeOp('webhooks.retry', (tx, { id }: { id: string }): Delivery => {
  const found =
    findDelivery(tx, id) ??
    fail('not_found', { text: `There is no delivery ${id}. Deliveries are kept for 30 days.` });
  findWebhook(tx, found.inbox_no) ?? fail('webhook_not_configured');
  tx.sql(`UPDATE delivery SET status = 'pending', tries = 0, due_at = ? WHERE no = ?`).run(
    tx.nowUs,
    found.no,
  );
  return findDelivery(tx, id)!;
});

/** The result of an attempt. */
export interface AttemptResult {
  deliveryNo: number;
  inbox_no: number;
  account_no: number;
  /** The URL it was sent to, and when it was due. */
  url: string;
  wasDueAt: number;
  attempt: Attempt;
  /** The receiver's answer to a failed attempt. */
  answer: string | null;
  outcome: 'delivered' | 'retry' | 'failed' | 'gone' | 'no_message';
  /** For `retry`: when it is due, microseconds. */
  due_at: number | null;
}

/** Stores an attempt: updates the delivery, the state of its webhook and the usage. Returns the webhook's new state. */
export const recordDeliveryOp = writeOp(
  'webhooks.record',
  (tx, result: AttemptResult): { failures: number; disabled: DisabledReason | null } => {
    const { outcome, inbox_no, url } = result;
    endOrRepeat(tx, result);
    if (outcome !== 'no_message') meterWebhookAttempt(tx, result.account_no);
    const hook = findWebhook(tx, inbox_no);
    // The webhook has a new URL, so the result does not count for it.
    if (hook?.url !== url || outcome === 'no_message')
      return { failures: hook?.failures ?? 0, disabled: null };
    if (outcome === 'delivered') {
      if (hook.failures > 0) setFailures(tx, inbox_no, 0, null);
      return { failures: 0, disabled: null };
    }
    const failures = hook.failures + 1;
    const failingSince = hook.failing_since ?? tx.nowUs;
    setFailures(tx, inbox_no, failures, failingSince);
    const isHopeless = tx.nowUs - failingSince >= rules.failing_max_s * SECOND_US;
    const reason = outcome === 'gone' ? 'gone' : isHopeless ? 'failing' : null;
    if (!reason || !hook.is_enabled) return { failures, disabled: null };
    disable(tx, inbox_no, reason);
    return { failures, disabled: reason };
  },
);

function setFailures(tx: Tx, inboxNo: number, failures: number, failingSince: number | null): void {
  tx.sql('UPDATE webhook SET failures = ?, failing_since = ? WHERE inbox_no = ?').run(
    failures,
    failingSince,
    inboxNo,
  );
}

function endOrRepeat(tx: Tx, { deliveryNo, outcome, wasDueAt, ...result }: AttemptResult): void {
  const row = tx.sql('SELECT attempts, status, tries, due_at FROM delivery WHERE no = ?').get(deliveryNo) as
    | { attempts: string; status: DeliveryStatus; tries: number; due_at: number }
    | undefined;
  if (!row) return;
  const attempts = [...(JSON.parse(row.attempts) as Attempt[]), result.attempt].slice(-rules.attempts_kept);
  // A retry was requested during the attempt: the failure belongs to the previous round, and the new one is due.
  const isAnew = row.due_at > wasDueAt;
  const onFailure = isAnew ? row.status : 'failed';
  const ends = { delivered: 'delivered', retry: row.status, failed: onFailure, gone: onFailure } as const;
  tx.sql(
    `UPDATE delivery
     SET status = ?, tries = ?, due_at = ?, attempts = ?, answer = ?
     WHERE no = ?`,
  ).run(
    outcome === 'no_message' ? 'failed' : ends[outcome],
    isAnew ? row.tries : row.tries + 1,
    isAnew ? row.due_at : (result.due_at ?? row.due_at),
    JSON.stringify(attempts),
    result.answer,
    deliveryNo,
  );
}

function disable(tx: Tx, inboxNo: number, reason: DisabledReason): void {
  tx.sql(`UPDATE webhook SET is_enabled = 0, disabled_reason = ?, updated_at = ? WHERE inbox_no = ?`).run(
    reason,
    tx.nowUs,
    inboxNo,
  );
}

/**
 * The wall clock was set from `beforeUs` to `nowUs`. A delivery that was due in some minutes is still due in as many,
 * due ones keep their order, and a failing webhook has been failing for as long as before.
 */
export const rebaseOp = writeOp(
  'webhooks.rebase',
  (tx, { beforeUs, nowUs }: { beforeUs: number; nowUs: number }): number => {
    const byUs = nowUs - beforeUs;
    const moved =
      byUs < 0
        ? tx
            .sql(`UPDATE delivery SET due_at = max(due_at + ?, ?) WHERE status = 'pending' AND due_at > ?`)
            .run(byUs, nowUs, nowUs)
        : // What was queued after the step already has the new time.
          tx
            .sql(
              `UPDATE delivery INDEXED BY delivery_due SET due_at = due_at + ?
               WHERE status = 'pending' AND due_at > ? AND created_at <= ?`,
            )
            .run(byUs, beforeUs, beforeUs);
    tx.sql('UPDATE webhook SET failing_since = failing_since + ? WHERE failing_since IS NOT NULL').run(byUs);
    return moved.changes;
  },
);

/** At the start, makes due now what has a due time that only a clock set back since could have written. */
export const recoverDeliveriesOp = writeOp('webhooks.recover', (tx): void => {
  tx.sql(
    `UPDATE delivery INDEXED BY delivery_due SET due_at = ?
     WHERE status = 'pending' AND due_at > ? AND (created_at > ? OR due_at > ?)`,
  ).run(tx.nowUs, tx.nowUs, tx.nowUs, tx.nowUs + DELAY_US_MAX);
  tx.sql('UPDATE webhook SET failing_since = ? WHERE failing_since > ?').run(tx.nowUs, tx.nowUs);
});

export const meterTestOp = writeOp(
  'webhooks.meter_test',
  (tx, { account_no }: { account_no: number }): void => meterWebhookAttempt(tx, account_no),
);

/** Forgets the oldest history. Returns how many deliveries it forgot. */
export const forgetDeliveriesOp = jobOp(
  'webhooks.forget',
  (tx, { max }: { max: number }): number =>
    tx
      .sql(
        `DELETE FROM delivery WHERE no IN
           (SELECT no FROM delivery WHERE created_at <= ? ORDER BY created_at LIMIT ?)`,
      )
      .run(tx.nowUs - rules.kept_s * SECOND_US, max).changes,
);

/** For src/app/writes.ts. */
export const webhookWrites: readonly AnyWriteOp[] = [
  setWebhookOp,
  rotateSecretOp,
  switchWebhookOp,
  removeWebhookOp,
  retryDeliveryOp,
  recordDeliveryOp,
  rebaseOp,
  recoverDeliveriesOp,
  meterTestOp,
  forgetDeliveriesOp,
];
