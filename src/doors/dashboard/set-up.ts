import { randomBytes, timingSafeEqual } from 'node:crypto';
import { canAnOperatorSignIn } from '../../features/accounts/sessions/sql.ts';
import { hashSecret } from '../../platform/core/id.ts';
import type { Floor } from '../../platform/floor.ts';

/*
 * The first sign-in. As long as nobody of the operator's has a password, each start tells the log a link with which
 * one is set. Who reads the log runs the appliance; whoever merely reaches its pages does not know the link. It is
 * good once, and for this run of the program.
 */

const TOKEN_BYTES = 32;
const hashes = new WeakMap<Floor, Uint8Array>();

/** The path of a new link, or null when somebody can sign in. */
export function openSetUp(floor: Floor): string | null {
  if (canAnOperatorSignIn(floor.store)) return null;
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  hashes.set(floor, hashSecret(token));
  return `/setup/${token}`;
}

/** Whether this is the link's token, and still of use. */
export function isSetUpToken(floor: Floor, token: string): boolean {
  const hash = hashes.get(floor);
  return hash !== undefined && timingSafeEqual(hash, hashSecret(token)) && !canAnOperatorSignIn(floor.store);
}
