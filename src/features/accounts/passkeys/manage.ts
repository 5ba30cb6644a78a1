/** How a person adds and removes passkeys. Each needs a proof that it is still them: the password, or a passkey. */
import { fail, failField } from '../../../platform/core/failure.ts';
import type { Person } from '../second-factor/manage.ts';
import { noteFailure } from '../sessions/failed-sign-in.ts';
import { type Guarded, requirePassword } from '../sessions/sign-in.ts';
import { readPasswordHash } from '../sessions/sql.ts';
import {
  type AnswerInput,
  askForAnswer,
  askForPasskey,
  type CreationInput,
  type PasskeyParts,
  readAnswer,
  readPasskey,
} from './ceremonies.ts';
import { findWays } from './place.ts';
import { listPasskeys, type Passkey } from './sql.ts';
import type { Ceremony } from './wire.ts';
import { addPasskeyOp, confirmByPasskeyOp, removePasskeyOp } from './writes.ts';

export type PasskeyServices = PasskeyParts & Guarded;

/** With neither password nor passkey, a sign-in so recent is the proof. */
const FRESH_S = 900;

export interface Confirmation {
  current_password?: string | undefined;
  passkey?: AnswerInput | undefined;
}

const makeOccasion = (purpose: 'confirm' | 'add' | 'add_here', { session }: Person) => ({
  purpose,
  // A sign-in that only likely is theirs is for the account that they look at.
  owner: purpose === 'add_here' ? `${session.no} ${session.user.no}` : String(session.no),
});

/** The passkeys of the person that work on this server. */
function listWorking(services: PasskeyServices, { session }: Person): Passkey[] {
  const { rp_id: rpId } = findWays(services);
  return listPasskeys(services.store, session.user.no).filter(({ rp_id }) => rp_id === rpId);
}

export function hasUsablePassword({ store, settings }: PasskeyServices, userNo: number): boolean {
  return settings.passwords && readPasswordHash(store, userNo) !== null;
}

export function beginConfirmation(services: PasskeyServices, person: Person): Promise<Ceremony> {
  const known = listWorking(services, person);
  if (known.length === 0) fail('conflict', { text: 'You have no passkey that works here.' });
  return askForAnswer(services, makeOccasion('confirm', person), known);
}

/**
 * Throws unless it is still the same person. False: it is only likely, because the sign-in is recent and there is nothing else
 * to ask for.
 */
async function confirm(services: PasskeyServices, person: Person, given: Confirmation): Promise<boolean> {
  const { session, address } = person;
  if (given.passkey) {
    const { rows, used } = await readAnswer(services, makeOccasion('confirm', person), given.passkey);
    if (!used || !rows.some(({ user_no }) => user_no === session.user.no)) {
      await noteFailure(services, session.user.email, [session.user], 'wrong_passkey');
      failField('passkey', 'was refused; try again, or use another one');
    }
    await services.store.write(confirmByPasskeyOp, { user_no: session.user.no, used });
  } else if (given.current_password !== undefined && services.settings.passwords) {
    await requirePassword(services, session, given.current_password, address);
  } else if (hasUsablePassword(services, session.user.no)) {
    failField('current_password', 'is required');
  } else if (listWorking(services, person).length > 0) {
    failField('passkey', 'is required');
  } else if (services.clock.nowUs() - session.created_at > FRESH_S * 1_000_000) {
    fail('conflict', { text: STALE });
  } else return false;
  return true;
}

const STALE = `Sign out and sign in again, then do this within ${FRESH_S / 60} minutes: there is no password to ask you for.`;

export async function beginPasskey(
  services: PasskeyServices,
  person: Person,
  given: Confirmation,
): Promise<Ceremony> {
  const isProven = await confirm(services, person, given);
  const { user } = person.session;
  const known = listPasskeys(services.store, user.no);
  return askForPasskey(services, makeOccasion(isProven ? 'add' : 'add_here', person), {
    email: user.email,
    known,
  });
}

export async function addPasskey(
  services: PasskeyServices,
  person: Person,
  input: CreationInput,
): Promise<void> {
  const { no, user } = person.session;
  const occasions = (['add', 'add_here'] as const).map((purpose) => makeOccasion(purpose, person));
  const made = await readPasskey(services, occasions, input);
  // What was not proven must not open the person's other accounts.
  const only = made.purpose === 'add_here' ? user.no : null;
  const { passkey, challenge } = made;
  await services.store.write(addPasskeyOp, { session_no: no, only, passkey, challenge });
}

export async function removePasskey(
  services: PasskeyServices,
  person: Person,
  id: string,
  given: Confirmation,
): Promise<void> {
  await confirm(services, person, given);
  const { no, user } = person.session;
  await services.store.write(removePasskeyOp, {
    session_no: no,
    user_no: user.no,
    id,
    ways: findWays(services),
  });
}
