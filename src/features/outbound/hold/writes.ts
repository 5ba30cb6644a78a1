/**
 * Emails that wait for an owner. A held email has its bytes but no recipient that is due, so nothing sends it. The
 * first transaction that finds it held decides on it. Any later one (of another owner, the job, or the same owner
 * again) finds it decided.
 */
import { SECOND_US } from '../../../platform/core/clock.ts';
import { fail } from '../../../platform/core/failure.ts';
import {
  type AnyWriteOp,
  auditedOp,
  jobOp,
  onFullDisk,
  type Tx,
  takeWithinStep,
} from '../../../platform/store/operation.ts';
import { outbound as rules } from '../../../rules/outbound.ts';
import { findAccountByNo } from '../../accounts/sql.ts';
import { recordAudit } from '../../audit/writes.ts';
import { findOwnInbox } from '../../inboxes/sql.ts';
import { holdOutbound } from '../../inboxes/writes.ts';
import { deleteMime } from '../mime/writes.ts';
import { followRebases } from '../rebase/writes.ts';
import { recordEmailEvent } from '../sending/writes.ts';
import { findOwnEmail, listRecipients, type OutboundEmail } from '../sql.ts';
import { reserveQuota, type SendingCaps, type WholeEmail } from '../writes.ts';
import { isAccountHeld, listExpiredHeld } from './sql.ts';

interface SetHold {
  account_no: number;
  /** The inbox's id or address; null for the whole account. */
  inbox: string | null;
  on: boolean;
}

/** Turns the hold of an account or of one inbox on or off. Emails that are held stay held. */
export const setHoldOp = auditedOp('outbound.set_hold', (tx, { account_no, inbox, on }: SetHold): void => {
  const found = inbox === null ? null : (findOwnInbox(tx, account_no, inbox) ?? fail('not_found'));
  if (found) {
    if (!holdOutbound(tx, found.no, on)) return;
  } else {
    if (!findAccountByNo(tx, account_no)) fail('authentication_required');
    if (isAccountHeld(tx, account_no) === on) return;
    tx.sql(
      `INSERT INTO outbound_account
         (account_no, allowlist_on, hour_from, hour_recipients, day_from, day_recipients, hold_on)
       VALUES (?, 0, 0, 0, 0, 0, ?)
       ON CONFLICT DO UPDATE SET hold_on = excluded.hold_on`,
    ).run(account_no, Number(on));
  }
  recordAudit(tx, {
    action: 'hold.changed',
    account_no,
    target: found?.address ?? null,
    details: { hold: on ? 'on' : 'off' },
  });
});

interface Decide {
  account_no: number;
  id: string;
}

/** Queues a held email, due now, with its bytes unchanged. Its recipients count from now on. */
export const approveHeldOp = auditedOp(
  'outbound.approve_held',
  (tx, { account_no, id, caps }: Decide & { caps: SendingCaps }): WholeEmail => {
    const email = findHeld(tx, { account_no, id });
    followRebases(tx, email);
    const recipients = listRecipients(tx, email.no);
    reserveQuota(tx, account_no, { recipients: recipients.length, size: 0 }, caps);
    tx.sql(
      `UPDATE outbound_recipient SET status = 'queued', next_attempt_at = ? WHERE outbound_no = ? AND status = 'held'`,
    ).run(tx.nowUs, email.no);
    tx.sql(`UPDATE outbound_email SET status = 'queued', waiting = 1, expires_at = ? WHERE no = ?`).run(
      tx.nowUs + rules.queueS * SECOND_US,
      email.no,
    );
    recordAudit(tx, { action: 'email.approved', account_no, target: id });
    return readWhole(tx, email);
  },
);

/** Rejects a held email: it is never sent, and its bytes are deleted. */
export const rejectHeldOp = auditedOp(
  'outbound.reject_held',
  (tx, { account_no, id, reason }: Decide & { reason: string | null }): WholeEmail => {
    const email = findHeld(tx, { account_no, id });
    reject(tx, email.no, reason === null ? 'rejected by an owner' : `rejected by an owner: ${reason}`);
    recordAudit(tx, {
      action: 'email.rejected',
      account_no,
      target: id,
      ...(reason === null ? {} : { details: { reason } }),
    });
    return readWhole(tx, email);
  },
);

/** Rejects emails that no owner approved in time, at most `max`, for a few milliseconds. Returns how many it was. */
export const expireHeldOp = jobOp('outbound.expire_held', (tx, { max }: { max: number }): number => {
  let rejected = 0;
  for (const no of takeWithinStep(listExpiredHeld(tx, tx.nowUs, max))) {
    reject(tx, no, 'no owner approved it in time');
    rejected += 1;
  }
  return rejected;
});

/** Returns a held email. Fails with not_found, or with conflict if it was decided already or its time is over. */
function findHeld(tx: Tx, { account_no, id }: Decide): OutboundEmail {
  const email = findOwnEmail(tx, account_no, id) ?? fail('not_found');
  if (email.status !== 'held') {
    fail('conflict', { text: `This email is not held: its status is ${email.status}.` });
  }
  // The job is about to reject it.
  if (email.expires_at <= tx.nowUs) fail('conflict', { text: 'The time to decide on this email is over.' });
  return email;
}

function reject(tx: Tx, no: number, reason: string): void {
  tx.sql(
    `UPDATE outbound_recipient SET status = 'rejected', response = ? WHERE outbound_no = ? AND status = 'held'`,
  ).run(reason, no);
  tx.sql(`UPDATE outbound_email SET status = 'rejected', last_error = ? WHERE no = ?`).run(reason, no);
  deleteMime(tx, no);
  recordEmailEvent(tx, no, 'email.failed');
}

function readWhole(tx: Tx, { account_no, id, no }: OutboundEmail): WholeEmail {
  return { email: findOwnEmail(tx, account_no, id)!, recipients: listRecipients(tx, no) };
}

export const holdWrites: readonly AnyWriteOp[] = [
  setHoldOp,
  approveHeldOp,
  onFullDisk(rejectHeldOp),
  expireHeldOp,
];
