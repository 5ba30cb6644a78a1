import type { PlatformServices } from '../../../platform/services.ts';
import type { Plan } from '../../../rules/plans.ts';
import { announceQueued, readSendingCaps } from '../queue.ts';
import type { WholeEmail } from '../writes.ts';
import { approveHeldOp } from './writes.ts';

/**
 * Approves a held email. Fails with conflict if it has been decided already. Over a cap, fails as queueing does, and
 * the email stays held.
 */
export async function approveHeld(
  services: PlatformServices,
  account: { no: number; plan: Plan },
  id: string,
): Promise<WholeEmail> {
  const caps = readSendingCaps(services, account.plan);
  const whole = await services.store.write(approveHeldOp, { account_no: account.no, id, caps });
  // A crash before this changes nothing: the next start finds what is due.
  announceQueued(services, whole);
  return whole;
}
