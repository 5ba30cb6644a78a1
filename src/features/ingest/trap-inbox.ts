import { Failure } from '../../platform/core/failure.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { Trap } from '../accounts/trap.ts';
import { readTrapInbox } from '../domains/trap-inbox.ts';
import { findTargetInTrap } from './sql.ts';
import { createTrapInboxOp } from './writes.ts';

/** Creates the inbox that a request names in a trap, if it is missing. Returns false if there is no room for another inbox. */
export async function ensureInbox(
  { store }: Pick<PlatformServices, 'store'>,
  trap: Trap,
  named: string,
): Promise<boolean> {
  const inbox = readTrapInbox(trap, named);
  if (!inbox || findTargetInTrap(store, trap, inbox.address)) return true;
  try {
    await store.write(createTrapInboxOp, inbox);
    return true;
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.code !== 'plan_limit_reached') throw thrown;
    return false;
  }
}
