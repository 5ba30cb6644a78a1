/** Every write to webhooks and their deliveries. */

import { fail } from '../../platform/core/failure.ts';
import { newId } from '../../platform/core/id.ts';
import { type AnyWriteOp, auditedOp, jobOp, type Tx, writeOp } from '../../platform/store/operation.ts';
import { deliveries as rules } from '../../rules/deliveries.ts';
import { inboxHookEvents } from '../../rules/events.ts';
import { meterWebhookAttempt } from '../accounts/usage/writes.ts';
import { recordEvent } from '../events/writes.ts';
import { DELAY_US_MAX } from './backoff.ts';
import { recordChange } from './record-change.ts';
import { type Attempt, findWebhook, findWebhookByNo, type Webhook } from './sql.ts';
import type { DeliveryStatus, DisabledReason } from './wire.ts';

const SECOND_US = 1_000_000;

interface SetWebhook {
  inbox_no: number;
  url: string;
  /** Sealed. */
  secret: Uint8Array;
}

/** Creates the webhook of an inbox, or changes its URL: turns it on, clears its failures and rotates the secret. */
export const setWebhookOp = auditedOp(
  'webhooks.set',
  (tx, { inbox_no, url, secret }: SetWebhook): Webhook => {
    // A removed one has no secret that could sign too.
    tx.sql(
      `INSERT INTO webhook (id, account_no, inbox_no, events, url, is_enabled, secret, failures, created_at, updated_at)
     SELECT ?, account_no, no, ?, ?, 1, ?, 0, ?, ? FROM inbox WHERE no = ? AND deleted_at IS NULL
     ON CONFLICT (inbox_no) DO UPDATE SET url = excluded.url, is_enabled = 1, disabled_reason = NULL,
       previous_secret = iif(removed_at IS NULL, secret, NULL), previous_until = iif(removed_at IS NULL, ?, NULL),
       secret = excluded.secret, failures = 0, failing_since = NULL, updated_at = excluded.updated_at,
       created_at = iif(removed_at IS NULL, created_at, excluded.created_at), removed_at = NULL`,
    ).run(
      newId('webhook'),
      JSON.stringify(inboxHookEvents),
      url,
      secret,
      tx.nowUs,
      tx.nowUs,
      inbox_no,
      tx.nowUs + rules.previous_secret_s * SECOND_US,
    );
    const hook = findWebhook(tx, inbox_no) ?? fail('not_found');
    bringForward(tx, hook.no);
    return recordChange(tx, 'webhook.set', hook);
  },
);

/** Both secrets sign for a while, so that the receiver can switch over. */
export const rotateSecretOp = auditedOp(
  'webhooks.rotate',
  (tx, { no, secret }: { no: number; secret: Uint8Array }): Webhook => {
    tx.sql(
      `UPDATE webhook
       SET previous_secret = secret, previous_until = ?, secret = ?, updated_at = ?
       WHERE no = ? AND removed_at IS NULL`,
    ).run(tx.nowUs + rules.previous_secret_s * SECOND_US, secret, tx.nowUs, no);
    return recordChange(tx, 'webhook.secret_rotated', getWebhook(tx, no));
  },
);

/** Turning it on clears its failures and makes pending deliveries due now. */
export const switchWebhookOp = auditedOp(
  'webhooks.switch',
  (tx, { no, on }: { no: number; on: boolean }): Webhook => {
    const hook = getWebhook(tx, no);
    tx.sql(
      `UPDATE webhook
       SET is_enabled = ?, disabled_reason = ?, failures = 0, failing_since = NULL, updated_at = ?
       WHERE no = ?`,
    ).run(Number(on), on ? null : 'operator', tx.nowUs, no);
    if (on) bringForward(tx, no);
    else if (hook.is_enabled) recordDisabled(tx, hook);
    return recordChange(tx, on ? 'webhook.enabled' : 'webhook.disabled', getWebhook(tx, no));
  },
);

/** Makes deliveries that wait for a retry due now, after those that are already due. */
function bringForward(tx: Tx, no: number): void {
  tx.sql(`UPDATE delivery SET due_at = ? WHERE webhook_no = ? AND status = 'pending' AND due_at > ?`).run(
    tx.nowUs,
    no,
    tx.nowUs,
  );
}

/** Removes the webhook and gives up its pending deliveries. Their history stays. */
export const removeWebhookOp = auditedOp('webhooks.remove', (tx, { no }: { no: number }): Webhook => {
  const hook = getWebhook(tx, no);
  tx.sql(
    `UPDATE webhook
     SET removed_at = ?, is_enabled = 0, url = '', secret = x'', previous_secret = NULL, previous_until = NULL,
       failures = 0, failing_since = NULL, disabled_reason = NULL
     WHERE no = ?`,
  ).run(tx.nowUs, no);
  tx.sql(`UPDATE delivery SET status = 'failed' WHERE webhook_no = ? AND status = 'pending'`).run(no);
  return recordChange(tx, 'webhook.removed', hook);
});

function getWebhook(tx: Tx, no: number): Webhook {
  return findWebhookByNo(tx, no) ?? fail('webhook_not_configured');
}

/** Makes a delivery due now and restarts its retry schedule. */
export const retryDeliveryOp = writeOp(
  'webhooks.retry',
  (tx, { event_no, webhook_no }: { event_no: number; webhook_no: number }): void => {
    getWebhook(tx, webhook_no);
    tx.sql(
      `UPDATE delivery SET status = 'pending', tries = 0, due_at = ? WHERE webhook_no = ? AND event_no = ?`,
    ).run(tx.nowUs, webhook_no, event_no);
  },
);

/** The result of an attempt. */
export interface AttemptResult {
  deliveryNo: number;
  webhook_no: number;
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
    const { outcome, webhook_no, url } = result;
    endOrRepeat(tx, result);
    if (outcome !== 'no_message') meterWebhookAttempt(tx, result.account_no);
    const hook = findWebhookByNo(tx, webhook_no);
    // The webhook has a new URL, so the result does not count for it.
    if (hook?.url !== url || outcome === 'no_message')
      return { failures: hook?.failures ?? 0, disabled: null };
    if (outcome === 'delivered') {
      if (hook.failures > 0) setFailures(tx, webhook_no, 0, null);
      return { failures: 0, disabled: null };
    }
    const failures = hook.failures + 1;
    const failingSince = hook.failing_since ?? tx.nowUs;
    setFailures(tx, webhook_no, failures, failingSince);
    const isHopeless = tx.nowUs - failingSince >= rules.failing_max_s * SECOND_US;
    const reason = outcome === 'gone' ? 'gone' : isHopeless ? 'failing' : null;
    if (!reason || !hook.is_enabled) return { failures, disabled: null };
    disable(tx, hook, reason);
    return { failures, disabled: reason };
  },
);

function setFailures(tx: Tx, no: number, failures: number, failingSince: number | null): void {
  tx.sql('UPDATE webhook SET failures = ?, failing_since = ? WHERE no = ?').run(failures, failingSince, no);
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

function disable(tx: Tx, hook: Webhook, reason: DisabledReason): void {
  tx.sql('UPDATE webhook SET is_enabled = 0, disabled_reason = ?, updated_at = ? WHERE no = ?').run(
    reason,
    tx.nowUs,
    hook.no,
  );
  recordDisabled(tx, hook);
}

/** Tells the others: this one is off by now. */
function recordDisabled(tx: Tx, { id, account_no, inbox_no, inbox_id, url }: Webhook): void {
  recordEvent(tx, {
    kind: 'webhook.disabled',
    account_no,
    inbox_no,
    subject_id: id,
    note: () => ({ inbox_id, url }),
  });
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

/** Erases webhooks that were removed so long ago that no history is left. Returns how many. */
export const eraseRemovedWebhooksOp = jobOp(
  'webhooks.erase_removed',
  (tx, { max }: { max: number }): number =>
    tx
      .sql(
        `DELETE FROM webhook
         WHERE no IN (SELECT no FROM webhook WHERE removed_at <= ? ORDER BY removed_at LIMIT ?)`,
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
  eraseRemovedWebhooksOp,
];
