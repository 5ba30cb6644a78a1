import { Failure, fail } from '../../platform/core/failure.ts';
import { parseAddress, toInboxAddress } from '../../platform/mail/address.ts';
import { isQuotedString } from '../../platform/mail/address-syntax.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { Trap } from '../accounts/trap.ts';
import { findTargetInTrap } from './sql.ts';
import { makeTrapInboxOp } from './writes.ts';

/** RFC 5321 4.5.3.1: 64 for the local part, 255 for the domain. */
const ADDRESS_CHARS_MAX = 320;

/**
 * In a trap every address exists: the first request that names an address creates its inbox, as the first mail to it
 * does. A text that is not an address creates nothing, so that it is answered as an unknown inbox.
 */
export async function ensureInbox(
  { store }: Pick<PlatformServices, 'store'>,
  trap: Trap,
  named: string,
): Promise<void> {
  const parsed = parseAddress(named);
  if (!parsed || named.length > ADDRESS_CHARS_MAX) return;
  // Mail is accepted for such names too, but in a request one is more likely a mistake, unless it is quoted.
  const unquotedPart = isQuotedString(parsed.local) ? parsed.domain : named;
  if (/[\s<>,;\p{Cc}]/u.test(unquotedPart)) return;
  const address = toInboxAddress(parsed);
  if (findTargetInTrap(store, trap, address)) return;
  try {
    await store.write(makeTrapInboxOp, { address, trap });
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.code !== 'plan_limit_reached') throw thrown;
    fail('not_found', {
      text: 'There is no such inbox, and the account has as many as its plan allows. Delete some first.',
    });
  }
}
