import type { PlatformServices } from '../../platform/services.ts';
import type { Account } from './account.ts';
import { deleteAccountOp } from './writes.ts';

/** Deletes an account with its members, keys, inboxes and messages, and ends the waits and streams on its inboxes. */
export async function deleteAccount(
  { store, departures }: Pick<PlatformServices, 'store' | 'departures'>,
  accountNo: number,
): Promise<Account> {
  const deleted = await store.write(deleteAccountOp, { account_no: accountNo });
  departures.announce({ account_no: accountNo });
  return deleted;
}
