import type { PlatformServices } from '../../../platform/services.ts';
import { announceStored } from '../receive.ts';
import { type Accepted, acceptWithheldOp } from './writes.ts';

/**
 * Accepts a withheld message: from now on lists show it, and waiting clients wake. Any other message is left unchanged.
 */
export async function acceptWithheld(
  services: PlatformServices,
  accountNo: number,
  id: string,
): Promise<void> {
  const accepted = await services.store.write(acceptWithheldOp, {
    account_no: accountNo,
    id,
  });
  if (accepted) announceAccepted(services, accepted);
}

/** Announces an accepted message. It needs no check of its sender: that is under way or done. */
export function announceAccepted(services: PlatformServices, { summary, ...stored }: Accepted): void {
  announceStored(services, stored, summary, { isChecked: false });
}
