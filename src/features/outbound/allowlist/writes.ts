import { fail } from '../../../platform/core/failure.ts';
import { newId } from '../../../platform/core/id.ts';
import type { OnceRequest } from '../../../platform/http/route.ts';
import { withIdempotency } from '../../../platform/http/writes.ts';
import { type AnyWriteOp, type AuditedTx, auditedOp } from '../../../platform/store/operation.ts';
import { findAccountByNo } from '../../accounts/sql.ts';
import { recordAudit } from '../../audit/writes.ts';
import { readSending } from '../sql.ts';
import { type ApprovedRecipient, countApproved, findOwnApproved, isApproved } from './sql.ts';

interface Approve {
  account_no: number;
  /** Lower case. */
  email: string;
  cap: number;
  once: OnceRequest | null;
}

/** Throws approved_recipient_exists, outbound_allowlist_limit_reached. */
export const approveOp = auditedOp(
  'outbound.approve',
  (tx, { once, ...email }: Approve): ApprovedRecipient => withIdempotency(tx, once, () => approve(tx, email)),
);

function approve(tx: AuditedTx, { account_no, email, cap }: Omit<Approve, 'once'>): ApprovedRecipient {
  // The key was valid when the request arrived, but the account may have been deleted since.
  if (!findAccountByNo(tx, account_no)) fail('authentication_required');
  if (isApproved(tx, account_no, email)) fail('approved_recipient_exists');
  if (countApproved(tx, account_no) >= cap) fail('outbound_allowlist_limit_reached');
  const id = newId('approved_recipient');
  const { lastInsertRowid } = tx
    .sql('INSERT INTO approved_recipient (id, account_no, email, created_at) VALUES (?, ?, ?, ?)')
    .run(id, account_no, email, tx.nowUs);
  recordAudit(tx, { action: 'recipient.approved', account_no, target: email });
  return { no: Number(lastInsertRowid), id, email, created_at: tx.nowUs };
}

export const removeApprovedOp = auditedOp(
  'outbound.remove_approved',
  (tx, { account_no, id }: { account_no: number; id: string }): void => {
    const { no, email } = findOwnApproved(tx, account_no, id) ?? fail('not_found');
    tx.sql('DELETE FROM approved_recipient WHERE no = ?').run(no);
    recordAudit(tx, { action: 'recipient.removed', account_no, target: email });
  },
);

/** Turns an account's restriction to approved recipients on or off. */
export const switchAllowlistOp = auditedOp(
  'outbound.switch_allowlist',
  (tx, { account_no, on }: { account_no: number; on: boolean }): void => {
    if (!findAccountByNo(tx, account_no)) fail('authentication_required');
    if (readSending(tx, account_no).allowlist_on === Number(on)) return;
    tx.sql(
      `INSERT INTO outbound_account
         (account_no, allowlist_on, hour_from, hour_recipients, day_from, day_recipients)
       VALUES (?, ?, 0, 0, 0, 0)
       ON CONFLICT DO UPDATE SET allowlist_on = excluded.allowlist_on`,
    ).run(account_no, Number(on));
    recordAudit(tx, {
      action: 'allowlist.changed',
      account_no,
      details: { allowlist: on ? 'on' : 'off' },
    });
  },
);

export const allowlistWrites: readonly AnyWriteOp[] = [approveOp, removeApprovedOp, switchAllowlistOp];
