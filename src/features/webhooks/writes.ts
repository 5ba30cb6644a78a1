/** The changes that attempts and clock steps make to webhooks and their deliveries. */

import { SECOND_US } from '../../platform/core/clock.ts';
import type { QueueMoves, QueuePage, QueueRebase } from '../../platform/due-times.ts';
import { type AnyWriteOp, mailOp, onFullDisk, type Tx, writeOp } from '../../platform/store/operation.ts';
import { deliveries as rules } from '../../rules/deliveries.ts';
import { meterWebhookAttempt } from '../accounts/usage/writes.ts';
import { DELAY_US_MAX } from './backoff.ts';
import { recordDisabled } from './setup/writes.ts';
import { type Attempt, findWebhookByNo, type Webhook } from './sql.ts';
import type { DeliveryStatus, DisabledReason } from './wire.ts';

const FAILING_US_MAX = rules.failingMaxS * SECOND_US;

/** The result of an attempt. */
export interface AttemptResult {
  deliveryNo: number;
  webhook_no: number;
  account_no: number;
  /** The URL that it was sent to. */
  url: string;
  /** When it was due, as read before the attempt. */
  wasDueAt: number;
  attempt: Attempt;
  /** The receiver's answer to a failed attempt. */
  answer: string | null;
  outcome: 'delivered' | 'retry' | 'failed' | 'gone' | 'no_message';
  /** When it is due again, in microseconds, for `retry`; otherwise null. */
  due_at: number | null;
  /** Whether it failed before anything was sent, which says nothing about the receiver. */
  isOwnFault?: true;
}

/** Stores an attempt: updates the delivery, its webhook's state and the usage. Returns the webhook's new state. */
export const recordDeliveryOp = mailOp(
  'webhooks.record',
  (tx, result: AttemptResult): { failures: number; disabled: DisabledReason | null } => {
    const { outcome, webhook_no, url } = result;
    updateDelivery(tx, result);
    const isUnsent = outcome === 'no_message' || result.isOwnFault;
    if (!isUnsent) meterWebhookAttempt(tx, result.account_no);
    const hook = findWebhookByNo(tx, webhook_no);
    // The webhook has a new URL, so the result does not count for it.
    if (hook?.url !== url || isUnsent) return { failures: hook?.failures ?? 0, disabled: null };
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

function updateDelivery(tx: Tx, { deliveryNo, outcome, wasDueAt, ...result }: AttemptResult): void {
  const row = tx.sql('SELECT attempts, status, tries, due_at FROM delivery WHERE no = ?').get(deliveryNo) as
    | { attempts: string; status: DeliveryStatus; tries: number; due_at: number }
    | undefined;
  if (!row) return;
  const attempts = [...(JSON.parse(row.attempts) as Attempt[]), result.attempt].slice(-rules.attemptsKept);
  // A replay was requested during the attempt: a failure belongs to the previous round, and the new round is due.
  const isRestarted = row.due_at > wasDueAt;
  const onFailure = isRestarted ? row.status : 'failed';
  const ends = { delivered: 'delivered', retry: row.status, failed: onFailure, gone: onFailure } as const;
  tx.sql(
    `UPDATE delivery
     SET status = ?, tries = ?, due_at = ?, attempts = ?, answer = ?
     WHERE no = ?`,
  ).run(
    outcome === 'no_message' ? 'failed' : ends[outcome],
    isRestarted ? row.tries : row.tries + 1,
    isRestarted ? row.due_at : (result.due_at ?? row.due_at),
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
  // The webhooks that get an event are cached within the group of writes.
  tx.clearCache();
  recordDisabled(tx, hook);
}

/** A position among the pending deliveries of all webhooks. */
export interface PendingPlace {
  webhook_no: number;
  due_at: number;
  event_no: number;
}

type PendingPage = QueuePage<PendingPlace>;

type PendingDelivery = PendingPlace & { no: number };

const PENDING_KEY = 'webhook_no, due_at, event_no';

/** By whether due times move sooner or later. The order makes sure that no step finds what an earlier one has moved. */
export const PENDING_PAGES = {
  sooner: `SELECT no, ${PENDING_KEY}
    FROM delivery INDEXED BY delivery_due
    WHERE status = 'pending' AND (${PENDING_KEY}) > (?, ?, ?)
    ORDER BY webhook_no, due_at, event_no
    LIMIT ?`,
  later: `SELECT no, ${PENDING_KEY}
    FROM delivery INDEXED BY delivery_due
    WHERE status = 'pending' AND (${PENDING_KEY}) < (?, ?, ?)
    ORDER BY webhook_no DESC, due_at DESC, event_no DESC
    LIMIT ?`,
} as const;

function listPending(
  tx: Tx,
  kind: keyof typeof PENDING_PAGES,
  { after, max }: PendingPage,
): PendingDelivery[] {
  const end = kind === 'later' ? Number.MAX_SAFE_INTEGER : 0;
  const { webhook_no, due_at, event_no } = after ?? { webhook_no: end, due_at: end, event_no: end };
  return tx.sql(PENDING_PAGES[kind]).all(webhook_no, due_at, event_no, max) as PendingDelivery[];
}

const findNextPage = (found: readonly PendingDelivery[], { max }: PendingPage): PendingPlace | null =>
  found.length < max ? null : found.at(-1)!;

/**
 * Moves due times after the wall clock was set from `beforeUs` by `byUs`. A delivery that was due in ten minutes still
 * is, due ones keep their order, and a failing webhook has been failing for as long as before. Deliveries that became
 * due since the step, from `sinceUs` on, already have the new time: those of new events, and those that a person asked
 * to send now. Returns where the next step continues, or null at the end.
 */
export const rebaseOp = writeOp(
  'webhooks.rebase',
  (tx, step: QueueRebase<PendingPlace>): PendingPlace | null => {
    const { byUs, beforeUs, sinceUs, nowUs, stored } = step;
    const found = listPending(tx, byUs < 0 ? 'sooner' : 'later', step);
    const hasOldTime = (dueAt: number) =>
      byUs < 0 ? dueAt > nowUs : dueAt > beforeUs && !(dueAt >= sinceUs && dueAt <= nowUs);
    const move = tx.sql('UPDATE delivery SET due_at = ? WHERE no = ? AND created_at <= ?');
    for (const { no, due_at } of found) {
      if (!hasOldTime(due_at) || stored.includes(no)) continue;
      if (byUs < 0) move.run(Math.max(due_at + byUs, sinceUs), no, Number.MAX_SAFE_INTEGER);
      else move.run(due_at + byUs, no, beforeUs);
    }
    // After the clock was set back, a time in the past by the new clock may be right: it is from before a start with a
    // clock that was ahead. Moving it could turn the webhook off at its next failure.
    if (step.after === null)
      tx.sql('UPDATE webhook SET failing_since = failing_since + ? WHERE failing_since > ?').run(
        byUs,
        byUs < 0 ? nowUs : 0,
      );
    return findNextPage(found, step);
  },
);

/**
 * Makes deliveries due now, at start, if their due time or last attempt can only have been written before the clock was
 * set back. A webhook that would be turned off at its next failure starts over: nothing was tried while the server was
 * down, or the clock is ahead. Returns where the next step continues, or null at the end.
 */
export const recoverDeliveriesOp = writeOp(
  'webhooks.recover',
  (tx, page: PendingPage): PendingPlace | null => {
    const found = listPending(tx, 'sooner', page);
    const move = tx.sql(
      `UPDATE delivery SET due_at = ?
     WHERE no = ? AND (due_at > ? OR max(created_at, coalesce(attempts ->> '$[#-1].at', 0)) > ?)`,
    );
    for (const { no, due_at } of found)
      if (due_at > tx.nowUs) move.run(tx.nowUs, no, tx.nowUs + DELAY_US_MAX, tx.nowUs);
    if (page.after === null)
      tx.sql('UPDATE webhook SET failing_since = ? WHERE failing_since > ? OR failing_since <= ?').run(
        tx.nowUs,
        tx.nowUs,
        tx.nowUs - FAILING_US_MAX,
      );
    return findNextPage(found, page);
  },
);

export const pendingMoves: QueueMoves<PendingPlace> = {
  recover: recoverDeliveriesOp,
  rebase: rebaseOp,
  warning: 'the due times of pending webhook deliveries could not be moved with the clock; retrying',
};

export const meterTestOp = writeOp(
  'webhooks.meter_test',
  (tx, { account_no }: { account_no: number }): void => meterWebhookAttempt(tx, account_no),
);

/** For src/app/writes.ts. */
export const deliveryWrites: readonly AnyWriteOp[] = [
  onFullDisk(recordDeliveryOp),
  onFullDisk(rebaseOp),
  onFullDisk(recoverDeliveriesOp),
  meterTestOp,
];
