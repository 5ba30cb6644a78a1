import { SECOND_US } from '../../../platform/core/clock.ts';
import { type AnyWriteOp, jobOp, type Tx, writeOp } from '../../../platform/store/operation.ts';
import { outbound as rules } from '../../../rules/outbound.ts';
import type { Suppression } from './sql.ts';

/** Puts an address on the list, or keeps it there for longer. */
export function addSuppression(tx: Tx, accountNo: number, email: string, reason: string): void {
  tx.sql(
    `INSERT INTO suppression (account_no, email, reason, created_at, expires_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET reason = excluded.reason, created_at = excluded.created_at,
       expires_at = excluded.expires_at`,
  ).run(accountNo, email.toLowerCase(), reason, tx.nowUs, tx.nowUs + rules.suppressedS * SECOND_US);
}

/** Removes an address (lower case) from the list. Returns the removed entry, or null. */
export const removeSuppressionOp = writeOp(
  'outbound.remove_suppression',
  (tx, { account_no, email }: { account_no: number; email: string }): Suppression | null => {
    const row = tx
      .sql(
        `DELETE FROM suppression WHERE account_no = ? AND email = ?
         RETURNING email, reason, created_at, expires_at`,
      )
      .get(account_no, email) as Suppression | undefined;
    return row && row.expires_at > tx.nowUs ? row : null;
  },
);

/** Forgets expired entries. Returns how many there were. */
export const forgetSuppressionsOp = jobOp(
  'outbound.forget_suppressions',
  (tx, { max }: { max: number }): number =>
    tx
      .sql(
        `DELETE FROM suppression WHERE (account_no, email) IN
           (SELECT account_no, email FROM suppression WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
      )
      .run(tx.nowUs, max).changes,
);

export const suppressionWrites: readonly AnyWriteOp[] = [removeSuppressionOp, forgetSuppressionsOp];
