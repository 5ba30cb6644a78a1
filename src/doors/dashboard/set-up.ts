import { randomBytes, timingSafeEqual } from 'node:crypto';
import { canAnOperatorSignIn } from '../../features/accounts/sessions/sql.ts';
import { hashSecret } from '../../platform/core/id.ts';
import type { PlatformServices } from '../../platform/services.ts';

/*
 * The first sign-in. As long as nobody of the operator's has a password, each start tells the log a link with which
 * one is set. Who reads the log runs the appliance; whoever merely reaches its pages does not know the link. It is
 * good once, and for this run of the program.
 */

const TOKEN_BYTES = 32;
const hashes = new WeakMap<PlatformServices, Uint8Array>();

/** The path of a new link, or null when somebody can sign in. */
export function openSetUp(services: PlatformServices): string | null {
  if (canAnOperatorSignIn(services.store)) return null;
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  hashes.set(services, hashSecret(token));
  return `/setup/${token}`;
}

/** Whether this is the link's token, and still of use. */
export function isSetUpToken(services: PlatformServices, token: string): boolean {
  const hash = hashes.get(services);
  return (
    hash !== undefined && timingSafeEqual(hash, hashSecret(token)) && !canAnOperatorSignIn(services.store)
  );
}
