/*
 * The state of a ceremony is sealed and kept by the browser until the answer, so strangers who begin any number of
 * ceremonies cost no memory. It names its purpose and its owner. The write that uses up a challenge stores its hash, so
 * each works only once, even across a restart.
 */

import { randomBytes } from 'node:crypto';
import { SECOND_US } from '../../../platform/core/clock.ts';
import { hashSecret } from '../../../platform/core/id.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import type { UsedChallenge } from './writes.ts';

/** How long a person has to answer. */
export const CEREMONY_S = 300;
const CHALLENGE_BYTES = 32;
const CONTEXT = 'passkey challenge';

export type Purpose = 'sign_in' | 'confirm' | 'add' | 'invite' | 'set_up';

export interface Challenge {
  purpose: Purpose;
  /** The browser, the session or the one-time link that began the ceremony. */
  owner: string;
  /** Base64url, as browsers return it. */
  challenge: string;
  /** For a new passkey: its user handle, base64url. Empty otherwise. */
  handle: string;
  /** For a new passkey of someone signed in: the numbers of the members that it will open. */
  opens: number[];
  untilUs: number;
}

type Parts = Pick<PlatformServices, 'key' | 'clock'>;

export function createChallenge(
  { key, clock }: Parts,
  input: Pick<Challenge, 'purpose' | 'owner'> & Partial<Pick<Challenge, 'handle' | 'opens'>>,
): { bytes: Uint8Array<ArrayBuffer>; pending: string } {
  const bytes = new Uint8Array(randomBytes(CHALLENGE_BYTES));
  const kept: Challenge = {
    handle: '',
    opens: [],
    ...input,
    challenge: Buffer.from(bytes).toString('base64url'),
    untilUs: clock.nowUs() + CEREMONY_S * SECOND_US,
  };
  const pending = Buffer.from(key.seal(JSON.stringify(kept), CONTEXT)).toString('base64url');
  return { bytes, pending };
}

/** Returns null if we did not seal it, if its owner or purpose is another one, or if it is too old. */
export function openChallenge(
  { key, clock }: Parts,
  pending: string,
  { purpose, owner }: Pick<Challenge, 'purpose' | 'owner'>,
): Challenge | null {
  let kept: Challenge;
  try {
    kept = JSON.parse(key.open(Buffer.from(pending, 'base64url'), CONTEXT).toString());
  } catch {
    return null;
  }
  return kept.purpose === purpose && kept.owner === owner && kept.untilUs > clock.nowUs() ? kept : null;
}

export function describeUse({ challenge, untilUs }: Challenge): UsedChallenge {
  return { hash: hashSecret(challenge), expires_at: untilUs };
}
