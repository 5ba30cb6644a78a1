import { DAY_US } from '../../../platform/core/clock.ts';
import { fail } from '../../../platform/core/failure.ts';
import type { Reading } from '../../../platform/store/operation.ts';
import { INVITE_US } from '../writes.ts';
import { findInvite, type Invite } from './sql.ts';

/**
 * Returns a valid link. Throws not_found for one that was used, replaced or is too old; the message says what to do.
 */
export function requireInvite(reading: Reading, tokenHash: Uint8Array, nowUs: number): Invite {
  return findInvite(reading, tokenHash, nowUs) ?? fail('not_found', { text: VOID });
}

const VOID = `This link was used or is older than ${INVITE_US / DAY_US} days. Ask an owner of the account for a new one.`;
