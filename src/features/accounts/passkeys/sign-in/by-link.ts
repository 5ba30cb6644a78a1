/** Uses a one-time link (an invitation, or the operator's set-up) to set a passkey instead of a password. */
import { hashSecret } from '../../../../platform/core/id.ts';
import { newPlans } from '../../../../rules/plans.ts';
import { readEmail } from '../../email.ts';
import { readName } from '../../name.ts';
import { requireInvite } from '../../sessions/invite.ts';
import { type Browser, prepareSession } from '../../sessions/sign-in.ts';
import { askForPasskey, type CreationInput, readPasskey } from '../ceremonies.ts';
import type { PasskeyServices } from '../manage.ts';
import { findSignInOptions } from '../place.ts';
import { listPasskeys } from '../sql.ts';
import type { Ceremony } from '../wire.ts';
import { acceptInviteByPasskeyOp, setUpByPasskeyOp } from './writes.ts';

const nameInvite = (token: string) =>
  ({ purpose: 'invite', owner: hashSecret(token).toString('base64url') }) as const;
/** Includes the email, which the passkey names: it must not end up on an account with another email. */
const nameSetUp = (token: string, email: string) =>
  ({ purpose: 'set_up', owner: `${hashSecret(token).toString('base64url')} ${email}` }) as const;

export function beginInvite(services: PasskeyServices, token: string): Promise<Ceremony> {
  const { user } = requireInvite(services.store, hashSecret(token), services.clock.nowUs());
  const known = listPasskeys(services.store, user.no);
  return askForPasskey(services, nameInvite(token), { email: user.email, known });
}

/** Accepts an invitation with a new passkey. Returns the token of the new session. */
export async function acceptInviteByPasskey(
  services: PasskeyServices,
  { token, ...input }: CreationInput & { token: string },
  browser: Browser,
): Promise<string> {
  // Checked first, so that a link that no longer works costs no signature.
  requireInvite(services.store, hashSecret(token), services.clock.nowUs());
  const { passkey, challenge } = await readPasskey(services, nameInvite(token), input);
  const next = prepareSession(browser);
  await services.store.write(acceptInviteByPasskeyOp, {
    passkey,
    challenge,
    inviteHash: hashSecret(token),
    hasPasswords: services.settings.passwords,
    session: next.session,
  });
  return next.token;
}

export function beginSetUp(services: PasskeyServices, token: string, email: string): Promise<Ceremony> {
  const address = readEmail(email);
  return askForPasskey(services, nameSetUp(token, address), { email: address, known: [] });
}

/** Creates the operator's account, or adds a passkey to its owner. Only while no operator can sign in. */
export async function setUpByPasskey(
  services: PasskeyServices,
  { token, account, ...input }: CreationInput & { token: string; account: { email: string; name: string } },
  browser: Browser,
): Promise<string> {
  const email = readEmail(account.email);
  const { passkey, challenge } = await readPasskey(services, nameSetUp(token, email), input);
  const next = prepareSession(browser);
  await services.store.write(setUpByPasskeyOp, {
    passkey,
    challenge,
    account: {
      email,
      name: readName(account.name) || email,
      plan: newPlans.created,
      kind: 'standard',
      status: 'active',
      custom_domains: true,
      outbound: true,
      operator: true,
      trap: false,
    },
    signInOptions: findSignInOptions(services),
    session: next.session,
  });
  return next.token;
}
