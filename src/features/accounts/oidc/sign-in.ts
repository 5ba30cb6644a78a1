/*
 * Sign-in with OpenID Connect: authorization code with PKCE, state and nonce. The same steps accept an invitation, or
 * connect a member who is signed in.
 */
import { Failure } from '../../../platform/core/failure.ts';
import { hashSecret } from '../../../platform/core/id.ts';
import type { Windows } from '../../../platform/core/window.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import type { Reading } from '../../../platform/store/operation.ts';
import { recordFailedSignIn } from '../sessions/failed-sign-in.ts';
import { type Browser, prepareSession, type SignInServices } from '../sessions/sign-in.ts';
import { findInvite, findOperatorsAccount, listSessionMembers } from '../sessions/sql.ts';
import { findAccountById, type User } from '../sql.ts';
import { findConfiguration, identify, makeRedirectUri } from './identify.ts';
import { formatState, openPending, sealPending } from './pending.ts';
import type { OidcProvider } from './provider.ts';
import type { Keeper, OidcPurpose } from './purpose.ts';
import { OidcRefusal } from './refusal.ts';
import { hasMember, type Welcome } from './sql.ts';
import { connectOidcOp, signInByOidcOp } from './writes.ts';

export interface OidcServices extends SignInServices {
  /** Null if no provider is set. */
  readonly oidc: OidcProvider | null;
  /** States that were already used. Each works once. */
  readonly usedStates: Windows;
}

/** Begins a sign-in. Returns the address at the provider to go to, and what the browser must keep. */
export async function beginOidc(
  services: OidcServices,
  purpose: OidcPurpose,
): Promise<{ location: string; pending: string }> {
  const client = await import('openid-client');
  const configuration = await findConfiguration(services).catch((thrown) => blame(thrown, purpose));
  const verifier = client.randomPKCECodeVerifier();
  const [state, nonce] = [formatState(purpose, client.randomState()), client.randomNonce()];
  const scopes = ['openid', 'email'];
  // Some providers refuse scopes that they do not know.
  const offered: unknown = configuration.serverMetadata().scopes_supported;
  const isOffered = Array.isArray(offered) && offered.includes('groups');
  if (services.settings.oidc_owner_group !== null && isOffered) scopes.push('groups');
  const location = client.buildAuthorizationUrl(configuration, {
    redirect_uri: makeRedirectUri(services),
    scope: scopes.join(' '),
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  return { location: location.href, pending: sealPending(services, { purpose, state, nonce, verifier }) };
}

/** Rethrows a refusal with what the person was about to do. */
function blame(thrown: unknown, purpose: OidcPurpose): never {
  if (!(thrown instanceof OidcRefusal)) throw thrown;
  throw new OidcRefusal(thrown.problem, thrown.detail, purpose);
}

/** The provider's answer, as a browser brings it. */
interface Brought {
  answer: URLSearchParams;
  keeper: Keeper;
  /** What the browser kept since the sign-in began. */
  pending: string | null;
  browser: Browser;
  /** The session that the browser is in; null without one. */
  sessionId: string | null;
}

/**
 * Does what the provider's answer was asked for. `token` is that of the new session, or null if the person was signed in
 * already. Throws an OidcRefusal.
 */
export async function finishOidc(
  services: OidcServices,
  { answer, keeper, pending, browser, sessionId }: Brought,
): Promise<{ purpose: OidcPurpose; token: string | null }> {
  const kept = openPending(services, keeper, pending, answer.get('state'));
  const { purpose } = kept;
  if (purpose.to === 'connect' && purpose.sessionId !== sessionId)
    throw new OidcRefusal('expired', 'another session began it', purpose);
  const person = await identify(services, kept, answer).catch((thrown) => blame(thrown, purpose));
  const { settings, store } = services;
  const { email, groups } = person;
  const member = findMeant(services, purpose);
  const refuse = async (problem: SignInProblem, detail: string): Promise<never> => {
    await recordFailedSignIn(services, email, member ? [member] : [], problem);
    throw new OidcRefusal(problem, detail, purpose);
  };
  if (!isAllowed(settings, email)) {
    const problem = member && member.email !== email ? 'other_email' : 'not_allowed';
    return refuse(problem, `${email} is not in POSTERN_OIDC_ALLOWED_DOMAINS`);
  }
  const who = { issuer: settings.oidc_issuer ?? '', subject: person.subject, email };
  try {
    if (purpose.to === 'connect') {
      await store.write(connectOidcOp, { ...who, session_id: purpose.sessionId, userNos: purpose.userNos });
      return { purpose, token: null };
    }
    const { token, session } = prepareSession(browser);
    const group = settings.oidc_owner_group;
    await store.write(signInByOidcOp, {
      ...who,
      inviteHash: purpose.to === 'accept_invite' ? hashSecret(purpose.token) : null,
      ...readWelcome(services),
      // A provider such as Google lets in anyone, so without allowed domains nobody joins.
      mayJoin: settings.oidc_allowed_domains !== null,
      isOwner: group === null ? null : groups.includes(group),
      session,
    });
    return { purpose, token };
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    if (thrown.code === 'not_found') throw new OidcRefusal('expired', thrown.message, purpose);
    const problem = explainRefusal(store, thrown, email);
    if (problem === null) throw thrown;
    return refuse(problem, thrown.message);
  }
}

type SignInProblem = 'not_allowed' | 'not_connected' | 'other_email' | 'other_person';

function explainRefusal(reading: Reading, { code }: Failure, email: string): SignInProblem | null {
  if (code === 'validation_error') return 'other_email';
  if (code === 'conflict') return 'other_person';
  if (code !== 'account_forbidden') return null;
  return hasMember(reading, email) ? 'not_connected' : 'not_allowed';
}

/** The member that an invitation is for, or that is signed in; null where the provider's answer decides. */
function findMeant({ store, clock }: OidcServices, purpose: OidcPurpose): User | null {
  if (purpose.to === 'sign_in') return null;
  const nowUs = clock.nowUs();
  if (purpose.to === 'accept_invite')
    return findInvite(store, hashSecret(purpose.token), nowUs)?.user ?? null;
  // By the session: the number of a member who was removed meanwhile may be another's now.
  const members = listSessionMembers(store, purpose.sessionId, nowUs);
  return members.find(({ no }) => no === purpose.userNos[0]) ?? null;
}

export function readWelcome({ store, settings }: Pick<PlatformServices, 'store' | 'settings'>): Welcome {
  const { oidc_account: id } = settings;
  const home = id === null ? findOperatorsAccount(store) : findAccountById(store, id);
  return { homeNo: home?.no ?? null, isSignUpOpen: settings.signup === 'open' };
}

/** Whether the settings let this email, in lower case, sign in. */
export function isAllowed(
  { oidc_allowed_domains: allowed }: PlatformServices['settings'],
  email: string,
): boolean {
  return (
    allowed === null || allowed.includes(email) || allowed.includes(email.slice(email.lastIndexOf('@') + 1))
  );
}
