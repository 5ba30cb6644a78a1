import { Failure } from '../../platform/core/failure.ts';
import { parseAddress, toInboxAddress } from '../../platform/mail/address.ts';
import { isQuotedString } from '../../platform/mail/address-syntax.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { Trap } from '../accounts/trap.ts';
import { findTargetInTrap } from './sql.ts';
import { createTrapInboxOp } from './writes.ts';

/** RFC 5321 4.5.3.1: 64 for the local part, 255 for the domain. */
const ADDRESS_CHARS_MAX = 320;

/**
 * Creates the inbox of an address in a trap, if it is missing. In a trap every address exists: the first request that
 * names it creates its inbox, as the first mail to it does. Any other text creates nothing. Returns false if there is no
 * room for another inbox.
 */
export async function ensureInbox(
  { store }: Pick<PlatformServices, 'store'>,
  trap: Trap,
  named: string,
): Promise<boolean> {
  const parsed = parseAddress(named);
  if (!parsed || named.length > ADDRESS_CHARS_MAX) return true;
  // Mail for such an address is accepted, but in a request it is more likely a mistake, unless the local part is
  // quoted.
  const isQuoted = isQuotedString(parsed.local);
  if (/[\s<>,;\p{Cc}]/u.test(isQuoted ? parsed.domain : named)) return true;
  // SMTP refuses it, so the inbox could never get mail.
  if (!isQuoted && parsed.local.includes('@')) return true;
  const address = toInboxAddress(parsed);
  if (findTargetInTrap(store, trap, address)) return true;
  try {
    await store.write(createTrapInboxOp, { address, trap });
    return true;
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.code !== 'plan_limit_reached') throw thrown;
    return false;
  }
}
