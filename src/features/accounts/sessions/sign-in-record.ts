/** Records sign-ins in the audit log. */
import type { AuditedTx, Tx } from '../../../platform/store/operation.ts';
import { type AuditDetails, type AuditEvent, recordAudit } from '../../audit/writes.ts';
import { readPerson } from './sql.ts';

/** How a person signed in, for the audit log. */
export type SignInMethod = 'password' | 'link' | 'setup_link' | 'sign_up' | 'oidc' | 'passkey';

/** Records a sign-in in the log of each account that it opens. */
export function recordSignIn(
  tx: AuditedTx,
  userNos: readonly number[],
  method: SignInMethod,
  more: AuditDetails = {},
): void {
  for (const userNo of userNos) {
    const person = findPerson(tx, userNo);
    recordAudit(tx, { action: 'sign_in', ...person, details: { method, ...more } });
  }
}

/** Returns the account of a person and the person as actor and target, for an entry of the audit log. */
export function findPerson(
  tx: Tx,
  userNo: number,
): Required<Pick<AuditEvent, 'account_no' | 'target' | 'by'>> {
  const { id, account_no, email } = readPerson(tx, userNo);
  return { account_no, target: email, by: { kind: 'user', id, name: email } };
}
