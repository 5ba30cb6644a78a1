import type { Windows } from '../../../platform/core/window.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import { audit } from '../../../rules/audit.ts';
import { HOUR_S } from '../../../rules/durations.ts';
import { recordAuditOp } from '../../audit/writes.ts';
import type { User } from '../sql.ts';

type Parts = Pick<PlatformServices, 'store' | 'clock'> & { readonly failedSignIns: Windows };

/** Why a sign-in failed, for the audit log. */
export type FailureReason =
  | 'wrong_password'
  | 'wrong_code'
  | 'wrong_passkey'
  | 'not_allowed'
  | 'not_connected'
  | 'other_email'
  | 'other_person';

/**
 * Records a failed sign-in in the audit log of each account with this email, or in the operator's if no account has it.
 * Only the first few in an hour are recorded, so that someone who guesses can't fill a log.
 */
export async function recordFailedSignIn(
  { store, clock, failedSignIns: windows }: Parts,
  email: string,
  members: readonly User[],
  reason: FailureReason,
): Promise<void> {
  const isNobody = members.length === 0;
  const name = isNobody ? '' : email;
  const max = isNobody ? audit.failuresOfNobody : audit.failuresPerEmail;
  const nowUs = clock.nowUs();
  const { remaining } = windows.look(name, max, HOUR_S, nowUs);
  if (remaining === 0) return;
  windows.take(name, HOUR_S, nowUs);
  const details = { reason, ...(remaining === 1 && { further: 'not recorded within this hour' }) };
  const accounts = isNobody ? [null] : members.map(({ account_no }) => account_no);
  await store.write(recordAuditOp, {
    events: accounts.map((accountNo) => ({
      action: 'sign_in.failed' as const,
      account_no: accountNo,
      target: email,
      details,
    })),
  });
}
