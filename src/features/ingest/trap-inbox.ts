import { Failure, fail } from '../../platform/core/failure.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { Trap } from '../accounts/trap.ts';
import { readTrapInbox } from '../domains/trap-inbox.ts';
import { findTargetInTrap } from './sql.ts';
import { createTrapInboxOp } from './writes.ts';

/** Creates the inbox that a path names in a trap, if it is missing. Fails with not_found if there is no room for it. */
export async function ensureInbox(
  { store }: Pick<PlatformServices, 'store'>,
  trap: Trap,
  named: string,
): Promise<void> {
  const inbox = readTrapInbox(trap, named);
  if (!inbox || findTargetInTrap(store, trap, inbox.address)) return;
  try {
    await store.write(createTrapInboxOp, inbox);
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.code !== 'plan_limit_reached') throw thrown;
    fail('not_found', {
      text: 'There is no such inbox, and the account has as many as its plan allows. Delete some first.',
    });
  }
}
