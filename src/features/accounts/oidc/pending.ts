/*
 * What a sign-in keeps between its two requests: sealed, in the browser, which binds them to that browser and costs no
 * memory when strangers begin sign-ins.
 */
import { SECOND_US } from '../../../platform/core/clock.ts';
import type { Windows } from '../../../platform/core/window.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import { findKeeper, type Keeper, type OidcPurpose } from './purpose.ts';
import { OidcRefusal } from './refusal.ts';

/** How long a person has to sign in at the provider. */
export const PENDING_S = 600;
/** So that what a page keeps is worth nothing in a cookie. */
const contexts: Record<Keeper, string> = {
  cookie: 'oidc pending in a cookie',
  page: 'oidc pending in a page',
};

export interface Pending {
  purpose: OidcPurpose;
  state: string;
  nonce: string;
  verifier: string;
  untilUs: number;
}

type Parts = Pick<PlatformServices, 'key' | 'clock'>;

/** Returns what the browser keeps. */
export function sealPending({ key, clock }: Parts, pending: Omit<Pending, 'untilUs'>): string {
  const kept: Pending = { ...pending, untilUs: clock.nowUs() + PENDING_S * SECOND_US };
  const context = contexts[findKeeper(pending.purpose)];
  return Buffer.from(key.seal(JSON.stringify(kept), context)).toString('base64url');
}

/** What the states begin with whose answer a page finishes. */
const BY_PAGE = 'page.';

export const formatState = (purpose: OidcPurpose, random: string) =>
  findKeeper(purpose) === 'page' ? BY_PAGE + random : random;

/** Whether a page finishes this sign-in. Only a hint: where it is kept decides. */
export const isByPage = (state: string | null) => state?.startsWith(BY_PAGE) === true;

/**
 * Opens what the browser kept. It works once, and only the browser that began the sign-in has it. Throws an OidcRefusal.
 * @param usedStates States that were already used. A restart forgets them, and the provider still refuses a code that was
 * used (RFC 6749, 4.1.2): they are for a provider that does not.
 */
export function openPending(
  { key, clock, usedStates }: Parts & { usedStates: Windows },
  keeper: Keeper,
  pending: string | null,
  state: string | null,
): Pending {
  if (!pending) throw new OidcRefusal('expired', 'this browser began no sign-in');
  let kept: Pending;
  try {
    kept = JSON.parse(key.open(Buffer.from(pending, 'base64url'), contexts[keeper]).toString());
  } catch {
    throw new OidcRefusal('expired', `what the ${keeper} kept is not ours`);
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
