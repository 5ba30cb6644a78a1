import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import type { Ceremony, PasskeyPlace } from '../features/accounts/passkeys/wire.ts';
import { ApiFailure, send } from './api.ts';
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

/** Gets a challenge from a route, and has the person choose and unlock a passkey. */
export async function usePasskey(path: string): Promise<PasskeyAnswer> {
  const data = await send<Ceremony>('POST', path);
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const optionsJSON = data.options as PublicKeyCredentialRequestOptionsJSON;
  return { pending: data.pending, answer: await explain(startAuthentication({ optionsJSON }), 'not_found') };
}

/** How long the browser offers passkeys before it is asked again; the server waits 5 minutes for an answer. */
const OFFER_MS = 240_000;

/**
 * Has the browser offer passkeys in the email field, until one is chosen, a passkey is requested elsewhere, or `stop`
 * is called. Does nothing in browsers that can't.
 */
export function offerPasskeys(path: string, onChosen: (chosen: PasskeyAnswer) => void): { stop: () => void } {
  let isOver = false;
  let cancel = () => {};
  const offer = async () => {
    const library = await import('@simplewebauthn/browser');
    if (isOver || !(await library.browserSupportsWebAuthnAutofill())) return;
    const data = await send<Ceremony>('POST', path);
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

/** Gets a challenge from a route, and has the person create a passkey. */
export async function createPasskey(path: string, body: unknown): Promise<PasskeyAnswer> {
  const data = await send<Ceremony>('POST', path, body);
  const { startRegistration } = await import('@simplewebauthn/browser');
  const optionsJSON = data.options as PublicKeyCredentialCreationOptionsJSON;
  return { pending: data.pending, answer: await explain(startRegistration({ optionsJSON }), 'cancelled') };
}

type Problem = keyof typeof words.passkeys.problems;

/** Problems by the names of WebAuthn's errors. */
const problems: Readonly<Record<string, Problem>> = {
  InvalidStateError: 'exists',
  SecurityError: 'wrong_address',
  NotSupportedError: 'unsupported',
  ConstraintError: 'unsupported',
};

/** @param ended the problem for WebAuthn's error that covers cancelled, timed out and not found. */
async function explain<Result>(asked: Promise<Result>, ended: Problem): Promise<Result> {
  try {
    return await asked;
  } catch (thrown) {
    const name = thrown instanceof Error ? thrown.name : '';
    const isEnded = name === 'NotAllowedError' || name === 'AbortError';
    const problem = isEnded ? ended : (problems[name] ?? 'failed');
    throw new ApiFailure(0, 'passkey', words.passkeys.problems[problem]);
  }
}
