/** What attempts and clock steps change in webhooks and their deliveries. */

import { type AnyWriteOp, mailOp, type Tx, writeOp } from '../../platform/store/operation.ts';
import { deliveries as rules } from '../../rules/deliveries.ts';
import { meterWebhookAttempt } from '../accounts/usage/writes.ts';
import { DELAY_US_MAX } from './backoff.ts';
import { recordDisabled } from './setup/writes.ts';
import { type Attempt, findWebhookByNo, type Webhook } from './sql.ts';
import type { DeliveryStatus, DisabledReason } from './wire.ts';

const SECOND_US = 1_000_000;
const FAILING_US_MAX = rules.failing_max_s * SECOND_US;

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
export const recordDeliveryOp = mailOp(
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
    const isHopeless = tx.nowUs - failingSince >= FAILING_US_MAX;
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
  // Who listens is cached within the group of writes.
  tx.forget();
  recordDisabled(tx, hook);
}

/**
 * The wall clock was set from `beforeUs` to `nowUs`. A delivery that was due in some minutes still is, due ones keep
 * their order, and a failing webhook has been failing for as long as before. Deliveries that became due since the step,
 * from `sinceUs` on, already have the new time: those of events, and those that a person asked to send now.
 */
export const rebaseOp = writeOp(
  'webhooks.rebase',
  (tx, { beforeUs, sinceUs, nowUs }: { beforeUs: number; sinceUs: number; nowUs: number }): number => {
    const byUs = nowUs - beforeUs;
    const moved =
      byUs < 0
        ? tx
            .sql(`UPDATE delivery SET due_at = max(due_at + ?, ?) WHERE status = 'pending' AND due_at > ?`)
            .run(byUs, sinceUs, nowUs)
        : tx
            .sql(
              `UPDATE delivery INDEXED BY delivery_due SET due_at = due_at + ?
               WHERE status = 'pending' AND due_at > ? AND due_at NOT BETWEEN ? AND ? AND created_at <= ?`,
            )
            .run(byUs, beforeUs, sinceUs, nowUs, beforeUs);
    // A time that is over by the clock set back may be right: from before a start with a clock that was ahead. Moved, it
    // could turn the webhook off at its next failure.
    tx.sql('UPDATE webhook SET failing_since = failing_since + ? WHERE failing_since > ?').run(
      byUs,
      byUs < 0 ? nowUs : 0,
    );
    return moved.changes;
  },
);

/**
 * At the start, makes due now what has a due time, or a last attempt, that only a clock set back since could have
 * written. A webhook that would be off at its next failure starts over: nothing was tried while the server was down, or
 * the clock is ahead.
 */
export const recoverDeliveriesOp = writeOp('webhooks.recover', (tx): void => {
  tx.sql(
    `UPDATE delivery INDEXED BY delivery_due SET due_at = ?
     WHERE status = 'pending' AND due_at > ?
       AND (due_at > ? OR max(created_at, coalesce(attempts ->> '$[#-1].at', 0)) > ?)`,
  ).run(tx.nowUs, tx.nowUs, tx.nowUs + DELAY_US_MAX, tx.nowUs);
  tx.sql('UPDATE webhook SET failing_since = ? WHERE failing_since > ? OR failing_since <= ?').run(
    tx.nowUs,
    tx.nowUs,
    tx.nowUs - FAILING_US_MAX,
  );
});

export const meterTestOp = writeOp(
  'webhooks.meter_test',
  (tx, { account_no }: { account_no: number }): void => meterWebhookAttempt(tx, account_no),
);

/** For src/app/writes.ts. */
export const deliveryWrites: readonly AnyWriteOp[] = [
  recordDeliveryOp,
  rebaseOp,
  recoverDeliveriesOp,
  meterTestOp,
];
