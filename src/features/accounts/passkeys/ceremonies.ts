/**
 * Makes the requests to a browser's WebAuthn, and verifies its answers. The writes that follow use up the challenge.
 */
import { randomBytes } from 'node:crypto';
import { fail, failField } from '../../../platform/core/failure.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import { CEREMONY_S, type Challenge, createChallenge, describeUse, openChallenge } from './challenge.ts';
import { findRelyingParty, type RelyingParty } from './place.ts';
import { listByCredential, type Passkey } from './sql.ts';
import { PasskeyRefusal, verifyAssertion, verifyCreation } from './verify.ts';
import type { AssertionAnswer, Ceremony, CreationAnswer } from './wire.ts';
import type { NewPasskey, UsedChallenge, UsedPasskey } from './writes.ts';

export type PasskeyParts = Pick<
  PlatformServices,
  'store' | 'key' | 'clock' | 'settings' | 'listening' | 'log'
>;

type Occasion = Pick<Challenge, 'purpose' | 'owner'>;

const TIMEOUT_MS = CEREMONY_S * 1000;
const HANDLE_BYTES = 32;
const NAME_CHARS_MAX = 60;
const DETAIL_CHARS_MAX = 200;

/** Throws a conflict where passkeys can't work. */
function requireParty(services: PasskeyParts): RelyingParty {
  return findRelyingParty(services) ?? fail('conflict', { text: NOT_HERE });
}

const NOT_HERE = 'Passkeys need POSTERN_BASE_URL to be an https address with a host name, or localhost.';

/** Asks a browser to create a passkey for this person. `known` are the passkeys that they have. */
export async function askForPasskey(
  services: PasskeyParts,
  occasion: Occasion & Partial<Pick<Challenge, 'opens'>>,
  { email, known }: { email: string; known: readonly Passkey[] },
): Promise<Ceremony> {
  const { rpId } = requireParty(services);
  const { generateRegistrationOptions } = await import('@simplewebauthn/server');
  // All of a person's passkeys have one user handle, so that a password manager replaces theirs and does not collect
  // them.
  const handle = known[0]?.user_handle ?? randomBytes(HANDLE_BYTES).toString('base64url');
  const { bytes, pending } = createChallenge(services, { ...occasion, handle });
  const options = await generateRegistrationOptions({
    rpName: 'Postern',
    rpID: rpId,
    userID: new Uint8Array(Buffer.from(handle, 'base64url')),
    userName: email,
    userDisplayName: email,
    challenge: bytes,
    timeout: TIMEOUT_MS,
    attestationType: 'none',
    excludeCredentials: known.map(describe),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: [-8, -7, -257],
  });
  return { options, pending };
}

/**
 * Asks a browser to sign a challenge with a passkey: with one of `known`, or if that is empty with any that it has for
 * this server, so that the request reveals nobody's passkeys.
 */
export async function askForAnswer(
  services: PasskeyParts,
  occasion: Occasion,
  known: readonly Passkey[] = [],
): Promise<Ceremony> {
  const { rpId } = requireParty(services);
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
  const { bytes, pending } = createChallenge(services, occasion);
  const options = await generateAuthenticationOptions({
    rpID: rpId,
    challenge: bytes,
    timeout: TIMEOUT_MS,
    allowCredentials: known.map(describe),
    userVerification: 'required',
  });
  return { options, pending };
}

function describe({ credential_id, transports }: Passkey) {
  return { id: Buffer.from(credential_id).toString('base64url'), transports: JSON.parse(transports) };
}

export interface CreationInput {
  pending: string;
  answer: CreationAnswer;
  name: string;
}

/**
 * Verifies the answer to askForPasskey. Returns the new passkey, for the write that stores it and uses up the
 * challenge.
 */
export async function readPasskey(
  services: PasskeyParts,
  occasion: Occasion,
  { pending, answer, name }: CreationInput,
): Promise<{ passkey: NewPasskey; challenge: UsedChallenge; opens: readonly number[] }> {
  const party = requireParty(services);
  const asked = openChallenge(services, pending, occasion) ?? failField('passkey', TOO_LATE);
  try {
    const verified = await verifyCreation(answer, asked.challenge, party);
    const passkey = {
      ...verified,
      rp_id: party.rpId,
      user_handle: asked.handle,
      name: readPasskeyName(name),
    };
    return { passkey, challenge: describeUse(asked), opens: asked.opens };
  } catch (thrown) {
    logRefusal(services, thrown);
    failField('passkey', 'could not be verified; try again');
  }
}

export interface AnswerInput {
  pending: string;
  answer: AssertionAnswer;
}

/**
 * Verifies the answer to askForAnswer. `used` is the passkey, or null if it is unknown or the answer is wrong. `rows`
 * has the passkey once for each member, also after a wrong answer.
 */
export async function readAnswer(
  services: PasskeyParts,
  occasion: Occasion,
  { pending, answer }: AnswerInput,
): Promise<{ rows: Passkey[]; used: UsedPasskey | null }> {
  const party = requireParty(services);
  const asked = openChallenge(services, pending, occasion);
  if (!asked) return { rows: [], used: null };
  const rows = listByCredential(services.store, party.rpId, Buffer.from(answer.id, 'base64url'), ROWS_MAX);
  const [passkey] = rows;
  if (!passkey) return { rows, used: null };
  try {
    const found = await verifyAssertion(answer, asked.challenge, party, {
      passkey,
      isListed: occasion.purpose === 'confirm',
    });
    const { rp_id, credential_id, public_key } = passkey;
    return { rows, used: { rp_id, credential_id, public_key, ...found, challenge: describeUse(asked) } };
  } catch (thrown) {
    logRefusal(services, thrown);
    return { rows, used: null };
  }
}

const ROWS_MAX = 20;
export const TOO_LATE = 'took too long, or was begun in another browser; try again';

/** Logs why, for the operator: POSTERN_BASE_URL may differ from the address that people open. Rethrows other errors. */
function logRefusal({ log }: PasskeyParts, thrown: unknown): void {
  if (!(thrown instanceof PasskeyRefusal)) throw thrown;
  log.rarely('warn', 'a passkey was refused', { detail: thrown.message.slice(0, DETAIL_CHARS_MAX) });
}

/** Tidies the name of a passkey. Throws validation_error under `name` if it is empty or too long. */
export function readPasskeyName(name: string): string {
  const text = name.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  if (text === '') failField('name', 'must not be empty');
  if (text.length > NAME_CHARS_MAX) failField('name', `may have at most ${NAME_CHARS_MAX} characters`);
  return text;
}
