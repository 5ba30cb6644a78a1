/** Signing in with a passkey, which is both factors: the device, and how its owner unlocks it. */
import { fail } from '../../../../platform/core/failure.ts';
import { recordFailedSignIn } from '../../sessions/failed-sign-in.ts';
import { type Browser, prepareSession } from '../../sessions/sign-in.ts';
import { findUserByNo } from '../../sql.ts';
import { type AnswerInput, askForAnswer, readAnswer } from '../ceremonies.ts';
import type { PasskeyServices } from '../manage.ts';
import type { Ceremony } from '../wire.ts';
import { signInByPasskeyOp } from './writes.ts';

/** @param owner A secret that only this browser has. */
export function beginSignIn(services: PasskeyServices, owner: string): Promise<Ceremony> {
  return askForAnswer(services, { purpose: 'sign_in', owner });
}

/** Returns the token of the new session. An unknown passkey and a wrong answer get the same error. */
export async function signInByPasskey(
  services: PasskeyServices,
  { owner, ...input }: AnswerInput & { owner: string },
  browser: Browser,
): Promise<string> {
  const { rows, used } = await readAnswer(services, { purpose: 'sign_in', owner }, input);
  if (!used) {
    const members = rows
      .map(({ user_no }) => findUserByNo(services.store, user_no))
      .filter((user) => user !== null);
    if (members[0]) await recordFailedSignIn(services, members[0].email, members, 'wrong_passkey');
    fail('authentication_required', { text: REFUSED });
  }
  const { token, session } = prepareSession(browser);
  await services.store.write(signInByPasskeyOp, { session, used });
  return token;
}

const REFUSED = 'This passkey does not sign in here, or it took too long. Try again, or sign in another way.';
