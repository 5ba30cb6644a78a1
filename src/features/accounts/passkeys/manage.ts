/** Adding and removing passkeys. Each needs a proof that it is still the same person: their password, or a passkey. */
import { SECOND_US } from '../../../platform/core/clock.ts';
import { fail, failField } from '../../../platform/core/failure.ts';
import type { Person } from '../second-factor/manage.ts';
import { recordFailedSignIn } from '../sessions/failed-sign-in.ts';
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
  TOO_LATE,
} from './ceremonies.ts';
import { findSignInOptions } from './place.ts';
import { listPasskeys, type Passkey } from './sql.ts';
import type { Ceremony } from './wire.ts';
import { addPasskeyOp, confirmByPasskeyOp, removePasskeyOp } from './writes.ts';

export type PasskeyServices = PasskeyParts & Guarded;

/** For someone without a password or passkey, a sign-in within this many seconds is proof enough. */
const FRESH_S = 900;

export interface Confirmation {
  current_password?: string | undefined;
  passkey?: AnswerInput | undefined;
}

/** At most this many accounts are opened by a new passkey. */
const OPENS_MAX = 20;

const makeOccasion = (purpose: 'confirm' | 'add', { session }: Person) => ({
  purpose,
  owner: String(session.no),
});

/** The person's passkeys that are bound to this server's host name. */
function listWorking(services: PasskeyServices, { session }: Person): Passkey[] {
  const { rp_id: rpId } = findSignInOptions(services);
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
 * Throws unless it is still the same person. Returns the members that the given password or passkey opens, first the
 * current one. If a recent sign-in is the only proof, returns just that one.
 */
export async function confirmPerson(
  services: PasskeyServices,
  person: Person,
  given: Confirmation,
): Promise<number[]> {
  const { session, address } = person;
  const confirmed = [session.user.no];
  if (given.passkey) {
    const { rows, used } = await readAnswer(services, makeOccasion('confirm', person), given.passkey);
    if (!used || !rows.some(({ user_no }) => user_no === session.user.no)) {
      await recordFailedSignIn(services, session.user.email, [session.user], 'wrong_passkey');
      failField('passkey', 'was refused; try again, or use another one');
    }
    await services.store.write(confirmByPasskeyOp, { user_no: session.user.no, used });
    confirmed.push(...rows.map(({ user_no }) => user_no));
  } else if (given.current_password !== undefined && services.settings.passwords) {
    const opened = await requirePassword(services, session, given.current_password, address);
    confirmed.push(...opened.map(({ no }) => no));
  } else if (hasUsablePassword(services, session.user.no)) {
    failField('current_password', 'is required');
  } else if (listWorking(services, person).length > 0) {
    failField('passkey', 'is required');
  } else if (services.clock.nowUs() - session.created_at > FRESH_S * SECOND_US) {
    fail('conflict', { text: STALE });
  }
  return [...new Set(confirmed)];
}

const STALE = `There is no password to ask you for, so this works within ${FRESH_S / 60} minutes of signing in. Sign in again first; if you came by a link, get another one before you sign out.`;

export async function beginPasskey(
  services: PasskeyServices,
  person: Person,
  given: Confirmation,
): Promise<Ceremony> {
  const opens = (await confirmPerson(services, person, given)).slice(0, OPENS_MAX);
  const { user } = person.session;
  const known = listPasskeys(services.store, user.no);
  return askForPasskey(services, { ...makeOccasion('add', person), opens }, { email: user.email, known });
}

export async function addPasskey(
  services: PasskeyServices,
  person: Person,
  input: CreationInput,
): Promise<void> {
  const { no, user } = person.session;
  const { passkey, challenge, opens } = await readPasskey(services, makeOccasion('add', person), input);
  // They have switched to another account meanwhile, where the passkey would not show.
  if (!opens.includes(user.no)) failField('passkey', TOO_LATE);
  await services.store.write(addPasskeyOp, { session_no: no, userNos: opens, passkey, challenge });
}

export async function removePasskey(
  services: PasskeyServices,
  person: Person,
  id: string,
  given: Confirmation,
): Promise<void> {
  await confirmPerson(services, person, given);
  const { no, user } = person.session;
  await services.store.write(removePasskeyOp, {
    session_no: no,
    user_no: user.no,
    id,
    signInOptions: findSignInOptions(services),
  });
}
