/** A member's connection to the identity provider, as they see it, and removing it. */
import { isoTimeOrNull } from '../../../platform/core/clock.ts';
import { fail } from '../../../platform/core/failure.ts';
import { type Confirmation, confirmPerson, type PasskeyServices } from '../passkeys/manage.ts';
import { findSignInOptions } from '../passkeys/place.ts';
import type { Person } from '../second-factor/manage.ts';
import type { User } from '../sql.ts';
import { isAllowed, type OidcServices, readWelcome } from './sign-in.ts';
import { findIdentity, isLinkedByEmail } from './sql.ts';
import type { SingleSignOnState } from './wire.ts';
import { disconnectOidcOp, requireOtherWays } from './writes.ts';

export function viewConnection(services: OidcServices, user: User): SingleSignOnState {
  const { store, settings, oidc } = services;
  const issuer = settings.oidc_issuer ?? '';
  const identity = findIdentity(store, user.no, issuer);
  const email = identity?.email ?? null;
  return {
    is_on: oidc !== null,
    issuer: oidc && issuer,
    email,
    connected_at: isoTimeOrNull(identity?.created_at ?? null),
    by_email:
      (email === null || email === user.email) &&
      isAllowed(settings, user.email) &&
      isLinkedByEmail(store, user.account_no, readWelcome(services)),
  };
}

export async function removeConnection(
  services: OidcServices & PasskeyServices,
  person: Person,
  given: Confirmation,
): Promise<void> {
  const { no, user } = person.session;
  const issuer = services.settings.oidc_issuer ?? '';
  const signInOptions = findSignInOptions(services);
  if (!findIdentity(services.store, user.no, issuer)) fail('not_found', { text: GONE });
  // Before anything is asked for: someone without a password or passkey has nothing to confirm it with.
  requireOtherWays(services.store, user.no, signInOptions);
  await confirmPerson(services, person, given);
  await services.store.write(disconnectOidcOp, { session_no: no, user_no: user.no, issuer, signInOptions });
}

const GONE = 'Single sign-on is not connected any more. Reload the page.';
