/** Ends errands: queues a forward, or stores a result. */
import { type AnyWriteOp, onFullDisk, type Tx, writeOp } from '../../../platform/store/operation.ts';
import { isQuotaLeft, type Queueing, queueNow, type SendingCaps } from '../../outbound/writes.ts';
import { DELAY_US_MAX } from '../../webhooks/backoff.ts';
import type { ErrandStatus } from '../sql.ts';

/**
 * Queues the email of a forward and ends its errand in one transaction, so that it is never queued twice. Returns the
 * row number of the email; null if the errand was over already.
 */
export const queueForwardOp = writeOp(
  'mail_rules.queue_forward',
  (
    tx,
    { errand_no, queueing }: { errand_no: number; queueing: Pick<Queueing, 'email' | 'caps'> },
  ): number | null => {
    const pending = tx.sql('SELECT 1 FROM errand WHERE no = ? AND due_at IS NOT NULL').get(errand_no);
    if (pending === undefined) return null;
    const { email } = queueNow(tx, queueing.email, queueing.caps);
    endErrand(tx, { no: errand_no, status: 'done', reason: null, due_at: null, outbound_id: email.id });
    return email.no;
  },
);

/**
 * Ends the due forwards of an account whose quota is used up, many at a time: in a flood of mail, ending each on its
 * own would keep the writer busy. Returns how many there were.
 */
export const refuseForwardsOp = writeOp(
  'mail_rules.refuse_forwards',
  (tx, { account_no, caps, reason, max }: RefuseForwards): number => {
    if (isQuotaLeft(tx, account_no, caps, tx.nowUs)) return 0;
    return tx
      .sql(
        `UPDATE errand SET status = 'refused', reason = ?, due_at = NULL, tries = tries + 1, at = ?
         WHERE no IN (
           SELECT no
           FROM errand INDEXED BY errand_due
           WHERE account_no = ? AND kind = 'forward' AND due_at IS NOT NULL AND due_at <= ?
           ORDER BY due_at
           LIMIT ?
         )`,
      )
      .run(reason, tx.nowUs, account_no, tx.nowUs, max).changes;
  },
);

interface RefuseForwards {
  account_no: number;
  caps: SendingCaps;
  reason: string;
  max: number;
}

export interface ErrandResult {
  no: number;
  status: ErrandStatus;
  reason: string | null;
  /** When the next attempt is due; null if there is none. */
  due_at: number | null;
  outbound_id?: string;
}

/** Stores a result. Does nothing if the message has been deleted. */
export const recordErrandOp = writeOp('mail_rules.record_errand', (tx, result: ErrandResult): void =>
  endErrand(tx, result),
);

function endErrand(tx: Tx, { no, status, reason, due_at, outbound_id }: ErrandResult): void {
  tx.sql(
    `UPDATE errand SET status = ?, reason = ?, due_at = ?, outbound_id = ?, tries = tries + 1, at = ?
     WHERE no = ? AND due_at IS NOT NULL`,
  ).run(status, reason, due_at, outbound_id ?? null, tx.nowUs, no);
}

/** Moves due times after the wall clock was set from `beforeUs` to `nowUs`: an errand due in ten minutes still is. */
export const rebaseErrandsOp = writeOp(
  'mail_rules.rebase_errands',
  (tx, { beforeUs, nowUs }: { beforeUs: number; nowUs: number }): void => {
    const byUs = nowUs - beforeUs;
    const isBack = byUs < 0;
    // Errands that are due keep their time. Only after a step forward can an untried one have been written since.
    tx.sql(
      `UPDATE errand INDEXED BY errand_due SET due_at = max(due_at + ?, ?)
       WHERE due_at IS NOT NULL AND due_at > ? AND (tries > 0 OR ?)`,
    ).run(byUs, isBack ? nowUs : 0, isBack ? nowUs : beforeUs, Number(isBack));
  },
);

/** Makes errands due now, at start, whose due time can only have been written before the clock was set back. */
export const recoverErrandsOp = writeOp('mail_rules.recover_errands', (tx): void => {
  tx.sql(
    `UPDATE errand INDEXED BY errand_due SET due_at = ?
     WHERE due_at IS NOT NULL AND due_at > ? AND (max(created_at, at) > ? OR due_at > ?)`,
  ).run(tx.nowUs, tx.nowUs, tx.nowUs, tx.nowUs + DELAY_US_MAX);
});

export const errandWrites: readonly AnyWriteOp[] = [
  queueForwardOp,
  refuseForwardsOp,
  onFullDisk(recordErrandOp),
  rebaseErrandsOp,
  recoverErrandsOp,
];
