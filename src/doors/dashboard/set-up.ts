import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { SignInOptions } from '../../features/accounts/passkeys/sql.ts';
import { canAnyOperatorSignIn } from '../../features/accounts/sessions/sql.ts';
import { hashSecret } from '../../platform/core/id.ts';
import type { Store } from '../../platform/store/store.ts';

/*
 * The first sign-in. Until an operator can sign in, each start logs a link that sets a password or a passkey. Only people
 * who run the appliance can read its log; anyone who merely reaches its pages does not know the link. It works once, and
 * only until the program ends.
 */

const TOKEN_BYTES = 32;

export class SetUp {
  private hash: Uint8Array | null = null;

  constructor(
    private readonly store: Store,
    private readonly signInOptions: SignInOptions,
  ) {}

  /** Creates a link and returns its path, or null if somebody can already sign in. */
  open(): string | null {
    if (canAnyOperatorSignIn(this.store, this.signInOptions)) return null;
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    this.hash = hashSecret(token);
    return `/setup/${token}`;
  }

  /** The link was used. Where passwords are off it only signs in, so the store does not show that. */
  close(): void {
    this.hash = null;
  }

  /** Whether this is the link's token, still unused. */
  isToken(token: string): boolean {
    if (!this.hash || !timingSafeEqual(this.hash, hashSecret(token))) return false;
    return !canAnyOperatorSignIn(this.store, this.signInOptions);
  }
}
