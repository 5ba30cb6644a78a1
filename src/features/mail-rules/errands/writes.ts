/** Ends errands: queues a forward, or stores a result. */
import type { QueueMoves, QueuePage, QueueRebase } from '../../../platform/due-times.ts';
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

/** A position among the waiting errands of all queues. */
export interface ErrandPlace {
  account_no: number;
  kind: string;
  due_at: number;
  no: number;
}

/**
 * By whether due times move sooner or later: the order makes sure that no step finds what an earlier one has moved. First those with
 * the same due time as the last one, then the others: in one statement, SQLite would read all of the former for each page.
 */
export const WAITING_PAGES = {
  sooner: {
    same: `SELECT account_no, kind, due_at, no
      FROM errand INDEXED BY errand_due
      WHERE account_no = ? AND kind = ? AND due_at IS NOT NULL AND due_at = ? AND no > ?
      ORDER BY no
      LIMIT ?`,
    others: `SELECT account_no, kind, due_at, no
      FROM errand INDEXED BY errand_due
      WHERE due_at IS NOT NULL AND (account_no, kind, due_at) > (?, ?, ?)
      ORDER BY account_no, kind, due_at, no
      LIMIT ?`,
  },
  later: {
    same: `SELECT account_no, kind, due_at, no
      FROM errand INDEXED BY errand_due
      WHERE account_no = ? AND kind = ? AND due_at IS NOT NULL AND due_at = ? AND no < ?
      ORDER BY no DESC
      LIMIT ?`,
    others: `SELECT account_no, kind, due_at, no
      FROM errand INDEXED BY errand_due
      WHERE due_at IS NOT NULL AND (account_no, kind, due_at) < (?, ?, ?)
      ORDER BY account_no DESC, kind DESC, due_at DESC, no DESC
      LIMIT ?`,
  },
} as const;

/** Runs `move` for each errand of a page. Returns where the next page continues, or null at the end. */
function movePage(
  tx: Tx,
  direction: keyof typeof WAITING_PAGES,
  { after, max }: QueuePage<ErrandPlace>,
  move: (place: ErrandPlace) => void,
): ErrandPlace | null {
  const end = direction === 'later' ? Number.MAX_SAFE_INTEGER : 0;
  const { account_no, kind, due_at, no } = after ?? { account_no: end, kind: '', due_at: end, no: end };
  const { same, others } = WAITING_PAGES[direction];
  const found = tx.sql(same).all(account_no, kind, due_at, no, max) as ErrandPlace[];
  found.push(...(tx.sql(others).all(account_no, kind, due_at, max - found.length) as ErrandPlace[]));
  for (const place of found) move(place);
  return found.length < max ? null : found.at(-1)!;
}

/**
 * Moves due times after the wall clock was set: an errand due in ten minutes still is. Errands that are due keep their time. Only
 * after a step forward can an untried one have been written since.
 */
export const rebaseErrandsOp = writeOp(
  'mail_rules.rebase_errands',
  (tx, step: QueueRebase<ErrandPlace>): ErrandPlace | null => {
    const { byUs, beforeUs, nowUs, stored } = step;
    const isBack = byUs < 0;
    const update = tx.sql('UPDATE errand SET due_at = ? WHERE no = ? AND (tries > 0 OR ?)');
    return movePage(tx, isBack ? 'sooner' : 'later', step, ({ no, due_at }) => {
      if (due_at <= (isBack ? nowUs : beforeUs) || stored.includes(no)) return;
      update.run(isBack ? Math.max(due_at + byUs, nowUs) : due_at + byUs, no, Number(isBack));
    });
  },
);

/** Makes errands due now, at start, whose due time can only have been written before the clock was set back. */
export const recoverErrandsOp = writeOp(
  'mail_rules.recover_errands',
  (tx, page: QueuePage<ErrandPlace>): ErrandPlace | null => {
    const update = tx.sql(
      'UPDATE errand SET due_at = ? WHERE no = ? AND (max(created_at, at) > ? OR due_at > ?)',
    );
    return movePage(tx, 'sooner', page, ({ no, due_at }) => {
      if (due_at > tx.nowUs) update.run(tx.nowUs, no, tx.nowUs, tx.nowUs + DELAY_US_MAX);
    });
  },
);

export const errandMoves: QueueMoves<ErrandPlace> = {
  recover: recoverErrandsOp,
  rebase: rebaseErrandsOp,
  warning: 'the due times of forwards and notices of rules could not be moved with the clock; retrying',
};

export const errandWrites: readonly AnyWriteOp[] = [
  queueForwardOp,
  refuseForwardsOp,
  onFullDisk(recordErrandOp),
  onFullDisk(rebaseErrandsOp),
  onFullDisk(recoverErrandsOp),
];
