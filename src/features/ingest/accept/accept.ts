import type { PlatformServices } from '../../../platform/services.ts';
import { announceStored } from '../receive.ts';
import { type Accepted, acceptWithheldOp } from './writes.ts';

/** Hands on a withheld message: lists show it from now on, and waiting clients wake. Any other message is unchanged. */
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

/** The check of its sender is under way or done. */
export function announceAccepted(services: PlatformServices, { summary, ...stored }: Accepted): void {
  announceStored(services, stored, summary, { isChecked: false });
}
