/** Checks the code that was typed at sign-in. The write that signs in then uses it up. */
import { hashSecret } from '../../../platform/core/id.ts';
import type { ServerKey } from '../../../platform/core/sealed.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import type { User } from '../sql.ts';
import { findTotp, hasRecoveryCode } from './sql.ts';
import { findStep, normalizeRecoveryCode, openTotpSecret } from './totp.ts';
import type { FactorProof } from './writes.ts';

type Parts = Pick<PlatformServices, 'store' | 'key' | 'clock'>;

/**
 * Checks a code against a member's second factor. Returns what it proves, null if it is wrong, or 'none' if the member
 * has no second factor.
 */
export function proveSecondFactor(
  { store, key, clock }: Parts,
  { no, email }: Pick<User, 'no' | 'email'>,
  code: string,
): FactorProof | 'none' | null {
  const totp = findTotp(store, no);
  if (!totp) return 'none';
  const secret = tryToOpen(key, email, totp.secret);
  const step = secret && findStep(secret, code, clock.nowUs());
  if (step !== null) return { step };
  const typed = normalizeRecoveryCode(code);
  const hash = typed === null ? null : hashSecret(typed);
  return hash && hasRecoveryCode(store, no, hash) ? { recoveryHash: hash } : null;
}

/** Returns null if another server.key sealed the secret. Recovery codes, which need no key, must still work then. */
function tryToOpen(key: ServerKey, email: string, sealed: Uint8Array): Uint8Array | null {
  try {
    return openTotpSecret(key, email, sealed);
  } catch {
    return null;
  }
}
