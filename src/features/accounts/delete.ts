import type { PlatformServices } from '../../platform/services.ts';
import type { Account } from './account.ts';
import { deleteAccountOp } from './writes.ts';

/** Takes an account away with its people, keys, inboxes and messages; those who wait there hear of it. */
export async function deleteAccount(
  { store, departures }: Pick<PlatformServices, 'store' | 'departures'>,
  accountNo: number,
): Promise<Account> {
  const gone = await store.write(deleteAccountOp, { account_no: accountNo });
  departures.announce({ account_no: accountNo });
  return gone;
}
