/*
 * What a sign-in keeps between its two requests: in a sealed cookie, which binds them to one browser and costs no memory
 * when strangers begin sign-ins.
 */
import { SECOND_US } from '../../../platform/core/clock.ts';
import type { Windows } from '../../../platform/core/window.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import type { OidcPurpose } from './purpose.ts';
import { OidcRefusal } from './refusal.ts';

/** How long a person has to sign in at the provider. */
export const PENDING_S = 600;
const CONTEXT = 'oidc pending, with its purpose';

export interface Pending {
  purpose: OidcPurpose;
  state: string;
  nonce: string;
  verifier: string;
  untilUs: number;
}

type Parts = Pick<PlatformServices, 'key' | 'clock'>;

/** Returns the content of the cookie. */
export function sealPending({ key, clock }: Parts, pending: Omit<Pending, 'untilUs'>): string {
  const kept: Pending = { ...pending, untilUs: clock.nowUs() + PENDING_S * SECOND_US };
  return Buffer.from(key.seal(JSON.stringify(kept), CONTEXT)).toString('base64url');
}

/**
 * Opens the cookie. It works once, and only the browser that began the sign-in has it. Throws an OidcRefusal.
 * @param usedStates States that were already used.
 */
export function openPending(
  { key, clock, usedStates }: Parts & { usedStates: Windows },
  pending: string | null,
  state: string | null,
): Pending {
  if (pending === null) throw new OidcRefusal('expired', 'this browser began no sign-in');
  let kept: Pending;
  try {
    kept = JSON.parse(key.open(Buffer.from(pending, 'base64url'), CONTEXT).toString());
  } catch {
    throw new OidcRefusal('expired', 'the cookie is not ours');
  }
  const expired = (detail: string) => new OidcRefusal('expired', detail, kept.purpose);
  const nowUs = clock.nowUs();
  if (kept.untilUs < nowUs) throw expired('the sign-in took too long');
  if (kept.state !== state) throw expired('the state is that of another sign-in');
  if (usedStates.look(state, 1, PENDING_S, nowUs).remaining === 0)
    throw expired('the answer was used before');
  usedStates.take(state, PENDING_S, nowUs);
  return kept;
}
