/*
 * Verifies a browser's answer with @simplewebauthn/server. Its 250 KB are loaded at the first passkey, so that a server
 * without passkeys never reads them.
 */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { readReason } from '../../../platform/core/thrown.ts';
import type { RelyingParty } from './place.ts';
import type { Passkey } from './sql.ts';
import { type AssertionAnswer, CREDENTIAL_ID_BYTES_MAX, type CreationAnswer } from './wire.ts';
import type { NewPasskey } from './writes.ts';

/** An RSA key of 4,096 bits takes 550 bytes. A larger one would only cost time at each sign-in. */
const PUBLIC_KEY_BYTES_MAX = 1_024;
/** EdDSA, ES256, RS256: every authenticator has one of them. */
const ALGORITHMS = [-8, -7, -257];

/** An answer that is refused. The message says why, for the server's log only. */
export class PasskeyRefusal extends Error {}

type Verified = Omit<NewPasskey, 'name' | 'user_handle' | 'rp_id'>;

/** Returns the passkey that an answer creates. Throws a PasskeyRefusal. */
export async function verifyCreation(
  answer: CreationAnswer,
  challenge: string,
  { rpId, origin }: RelyingParty,
): Promise<Verified> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const found = await refuseThrown(async () => {
    refuseFrames(answer.response.clientDataJSON);
    return verifyRegistrationResponse({
      response: await dropStatement(answer),
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
  });
  if (!found.verified) throw new PasskeyRefusal('the answer is not verified');
  const { credential, credentialBackedUp } = found.registrationInfo;
  const credentialId = Buffer.from(credential.id, 'base64url');
  if (credential.id !== answer.id) throw new PasskeyRefusal('the answer names another credential');
  if (credentialId.length === 0 || credentialId.length > CREDENTIAL_ID_BYTES_MAX)
    throw new PasskeyRefusal('the length of the credential id is out of bounds');
  if (credential.publicKey.length > PUBLIC_KEY_BYTES_MAX)
    throw new PasskeyRefusal('the public key is too large');
  return {
    credential_id: credentialId,
    public_key: credential.publicKey,
    sign_count: credential.counter,
    transports: JSON.stringify(answer.response.transports ?? []),
    is_synced: Number(credentialBackedUp),
  };
}

/** Returns the passkey's counter after this answer, and whether it is synced now. Throws a PasskeyRefusal. */
export async function verifyAssertion(
  answer: AssertionAnswer,
  challenge: string,
  { rpId, origin }: RelyingParty,
  { passkey, isListed }: { passkey: Passkey; isListed: boolean },
): Promise<{ sign_count: number; is_synced: number }> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { userHandle } = answer.response;
  // WebAuthn 7.2: an answer may omit the user handle only if the server listed the passkeys.
  if (userHandle ? userHandle !== passkey.user_handle : !isListed)
    throw new PasskeyRefusal('the answer is for another user handle');
  const found = await refuseThrown(async () => {
    refuseFrames(answer.response.clientDataJSON);
    return verifyAuthenticationResponse({
      response: { ...answer, clientExtensionResults: {} } as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      credential: {
        id: Buffer.from(passkey.credential_id).toString('base64url'),
        publicKey: new Uint8Array(passkey.public_key),
        counter: passkey.sign_count,
      },
    });
  });
  if (!found.verified) throw new PasskeyRefusal('the signature is wrong');
  const { newCounter, credentialBackedUp } = found.authenticationInfo;
  return { sign_count: newCounter, is_synced: Number(credentialBackedUp) };
}

/**
 * Removes the attestation by the authenticator's maker. Nothing here uses it, and to verify it the library would parse
 * a stranger's certificates and fetch the URLs in them.
 */
async function dropStatement(answer: CreationAnswer): Promise<RegistrationResponseJSON> {
  const { decodeAttestationObject, isoCBOR } = await import('@simplewebauthn/server/helpers');
  const given = new Uint8Array(Buffer.from(answer.response.attestationObject, 'base64url'));
  const authData = decodeAttestationObject(given).get('authData');
  if (!(authData instanceof Uint8Array)) throw new PasskeyRefusal('there is no authenticator data');
  const entries: [string, unknown][] = [
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', authData],
  ];
  const bare = Buffer.from(isoCBOR.encode(new Map(entries) as never)).toString('base64url');
  const response = { ...answer.response, attestationObject: bare, transports: [] };
  return { ...answer, response, clientExtensionResults: {} };
}

/**
 * Refuses an answer that was given inside a frame on another site. The library checks this only if `topOrigin` is sent.
 */
function refuseFrames(clientDataJson: string): void {
  const { crossOrigin } = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString());
  if (crossOrigin) throw new PasskeyRefusal('a page of another site asked');
}

/** Turns anything that is thrown into a PasskeyRefusal: bad bytes from outside are never a fault of the server. */
async function refuseThrown<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (thrown) {
    if (thrown instanceof PasskeyRefusal) throw thrown;
    throw new PasskeyRefusal(readReason(thrown));
  }
}
