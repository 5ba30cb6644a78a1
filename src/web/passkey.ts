import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import type { Ceremony, PasskeyPlace } from '../features/accounts/passkeys/wire.ts';
import { ApiFailure, call } from './api.ts';
import { words } from './words/words.ts';

/** Asking the browser for passkeys. The library for that is loaded when one is used. */

export interface PasskeyAnswer {
  pending: string;
  answer: object;
}

/** Whether passkeys work on this page. */
export function canUsePasskeys({ origin }: PasskeyPlace): boolean {
  return origin === location.origin && 'PublicKeyCredential' in window;
}

/** Begins at a route, and has the person choose and unlock a passkey. */
export async function usePasskey(path: string): Promise<PasskeyAnswer> {
  const { data } = await call<{ data: Ceremony }>('POST', path);
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const optionsJSON = data.options as PublicKeyCredentialRequestOptionsJSON;
  return { pending: data.pending, answer: await explain(startAuthentication({ optionsJSON })) };
}

/** How long the browser offers passkeys before it is asked anew; the server waits 5 minutes for an answer. */
const OFFER_MS = 240_000;

/**
 * Has the browser offer passkeys in the field for the email, until one is chosen, another one is asked for, or `stop`.
 * Where it can't, nothing happens.
 */
export function offerPasskeys(path: string, onChosen: (chosen: PasskeyAnswer) => void): { stop: () => void } {
  let isOver = false;
  let cancel = () => {};
  const offer = async () => {
    const library = await import('@simplewebauthn/browser');
    if (isOver || !(await library.browserSupportsWebAuthnAutofill())) return;
    const { data } = await call<{ data: Ceremony }>('POST', path);
    if (isOver) return;
    cancel = () => library.WebAuthnAbortService.cancelCeremony();
    const optionsJSON = data.options as PublicKeyCredentialRequestOptionsJSON;
    const answer = await library.startAuthentication({ optionsJSON, useBrowserAutofill: true });
    if (!isOver) onChosen({ pending: data.pending, answer });
  };
  // The person has not asked for a passkey yet, so a failure here is not shown.
  const start = () => void offer().catch(() => {});
  const timer = setInterval(start, OFFER_MS);
  start();
  return {
    stop() {
      isOver = true;
      clearInterval(timer);
      cancel();
    },
  };
}

/** Begins at a route, and has the person create a passkey. */
export async function createPasskey(path: string, body: unknown): Promise<PasskeyAnswer> {
  const { data } = await call<{ data: Ceremony }>('POST', path, body);
  const { startRegistration } = await import('@simplewebauthn/browser');
  const optionsJSON = data.options as PublicKeyCredentialCreationOptionsJSON;
  return { pending: data.pending, answer: await explain(startRegistration({ optionsJSON })) };
}

type Problem = keyof typeof words.passkeys.problems;

/** By the names of WebAuthn's errors. Cancelled, timed out and not found are one, so that a page learns nothing. */
const problems: Readonly<Record<string, Problem>> = {
  NotAllowedError: 'cancelled',
  AbortError: 'cancelled',
  InvalidStateError: 'exists',
  SecurityError: 'wrong_address',
  NotSupportedError: 'unsupported',
  ConstraintError: 'unsupported',
};

async function explain<Result>(asked: Promise<Result>): Promise<Result> {
  try {
    return await asked;
  } catch (thrown) {
    const name = thrown instanceof Error ? thrown.name : '';
    throw new ApiFailure(0, 'passkey', words.passkeys.problems[problems[name] ?? 'failed']);
  }
}
