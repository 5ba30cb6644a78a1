/** Entries of the list of addresses that an account can't send to, for the operator and the dashboard. */

import { isoTime } from '../../../platform/core/clock.ts';
import { fail } from '../../../platform/core/failure.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import type { Account } from '../../accounts/account.ts';
import type { SuppressionView } from '../wire.ts';
import type { Suppression } from './sql.ts';
import { removeSuppressionOp } from './writes.ts';

/** Removes an address from the list. Fails with not_found if it is not there. */
export async function removeSuppression(
  services: PlatformServices,
  account: Account,
  email: string,
): Promise<SuppressionView> {
  const query = { account_no: account.no, email: email.trim().toLowerCase() };
  const removed = await services.store.write(removeSuppressionOp, query);
  if (removed) return viewSuppression(removed);
  return fail('not_found', { text: `${query.email} is not on the suppression list of this account.` });
}

export function viewSuppression({ email, reason, created_at, expires_at }: Suppression): SuppressionView {
  return { email, reason, created_at: isoTime(created_at), expires_at: isoTime(expires_at) };
}
