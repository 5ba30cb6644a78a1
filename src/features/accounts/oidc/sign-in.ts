/*
 * Sign-in with OpenID Connect: authorization code with PKCE, state and nonce. The state between the two requests is in
 * a sealed cookie, which binds them to one browser and costs no memory when strangers begin sign-ins.
 */
import { SECOND_US } from '../../../platform/core/clock.ts';
import { Failure } from '../../../platform/core/failure.ts';
import type { Windows } from '../../../platform/core/window.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import type { Reading } from '../../../platform/store/operation.ts';
import { readEmail } from '../email.ts';
import { recordFailedSignIn } from '../sessions/failed-sign-in.ts';
import { type Browser, prepareSession, type SignInServices } from '../sessions/sign-in.ts';
import { findOperatorsAccount } from '../sessions/sql.ts';
import { findAccountById } from '../sql.ts';
import { describeProviderFault, type OidcProvider, ProviderFault } from './provider.ts';
import { hasMember } from './sql.ts';
import { signInByOidcOp } from './writes.ts';

/** How long a person has to sign in at the provider. */
export const PENDING_S = 600;
const CONTEXT = 'oidc pending';
const GROUPS_MAX = 1_000;
const SUBJECT_CHARS_MAX = 255;

export interface OidcServices extends SignInServices {
  /** Null if no provider is set. */
  readonly oidc: OidcProvider | null;
  /** States that were already used. Each works once. */
  readonly usedStates: Windows;
}

/** Why a sign-in failed, as the sign-in page explains it. */
export type OidcProblem =
  | 'unreachable'
  | 'refused'
  | 'expired'
  | 'unverified'
  | 'not_allowed'
  | 'not_connected'
  | 'other_person';

export class OidcRefusal extends Error {
  constructor(
    readonly problem: OidcProblem,
    readonly detail: string,
  ) {
    super(problem);
  }
}

interface Pending {
  state: string;
  nonce: string;
  verifier: string;
  untilUs: number;
}

/** Returns the address to which the provider sends the person back. The operator registers it at the provider. */
export function makeRedirectUri({
  settings,
  listening,
}: Pick<PlatformServices, 'settings' | 'listening'>): string {
  return `${(settings.base_url ?? listening.http ?? '').replace(/\/+$/, '')}/auth/oidc/callback`;
}

/** Begins a sign-in. Returns the address at the provider to redirect to, and the content of the cookie to set. */
export async function beginOidc(services: OidcServices): Promise<{ location: string; pending: string }> {
  const client = await import('openid-client');
  const configuration = await findConfiguration(services);
  const verifier = client.randomPKCECodeVerifier();
  const kept: Pending = {
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier,
    untilUs: services.clock.nowUs() + PENDING_S * SECOND_US,
  };
  const scopes = ['openid', 'email'];
  // Some providers refuse scopes that they do not know.
  const offered: unknown = configuration.serverMetadata().scopes_supported;
  const isOffered = Array.isArray(offered) && offered.includes('groups');
  if (services.settings.oidc_owner_group !== null && isOffered) scopes.push('groups');
  const location = client.buildAuthorizationUrl(configuration, {
    redirect_uri: makeRedirectUri(services),
    scope: scopes.join(' '),
    state: kept.state,
    nonce: kept.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const sealed = services.key.seal(JSON.stringify(kept), CONTEXT);
  return { location: location.href, pending: Buffer.from(sealed).toString('base64url') };
}

/** Signs in with the provider's answer. Returns the token of the new session, or throws an OidcRefusal. */
export async function finishOidc(
  services: OidcServices,
  answer: URLSearchParams,
  pending: string | null,
  browser: Browser,
): Promise<string> {
  const kept = readPending(services, pending, answer.get('state'));
  const person = await identify(services, kept, answer);
  const { settings, store } = services;
  const { email } = person;
  if (!isAllowed(settings.oidc_allowed_domains, email)) {
    await recordFailedSignIn(services, email, [], 'not_allowed');
    throw new OidcRefusal('not_allowed', `${email} is not in POSTERN_OIDC_ALLOWED_DOMAINS`);
  }
  const { token, session } = prepareSession(browser);
  const group = settings.oidc_owner_group;
  try {
    await store.write(signInByOidcOp, {
      issuer: settings.oidc_issuer ?? '',
      subject: person.subject,
      email,
      homeNo: findHome(services)?.no ?? null,
      // A provider such as Google lets in anyone, so without allowed domains nobody joins.
      mayJoin: settings.oidc_allowed_domains !== null,
      isOwner: group === null ? null : person.groups.includes(group),
      isSignUpOpen: settings.signup === 'open',
      session,
    });
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    if (thrown.code !== 'account_forbidden' && thrown.code !== 'conflict') throw thrown;
    const problem = explainRefusal(store, thrown, email);
    await recordFailedSignIn(services, email, [], problem);
    throw new OidcRefusal(problem, thrown.message);
  }
  return token;
}

function explainRefusal(store: Reading, { code }: Failure, email: string) {
  if (code === 'conflict') return 'other_person';
  return hasMember(store, email) ? 'not_connected' : 'not_allowed';
}

/** The account that a new person becomes a member of. */
function findHome({ store, settings }: Pick<PlatformServices, 'store' | 'settings'>) {
  return settings.oidc_account === null
    ? findOperatorsAccount(store)
    : findAccountById(store, settings.oidc_account);
}

/** @param allowed Domains and single addresses, in lower case; null allows every email. */
function isAllowed(allowed: readonly string[] | null, email: string): boolean {
  return (
    allowed === null || allowed.includes(email) || allowed.includes(email.slice(email.lastIndexOf('@') + 1))
  );
}

/** Opens the cookie. It works once, and only the browser that began the sign-in has it. Throws an OidcRefusal. */
function readPending(
  { key, clock, usedStates }: OidcServices,
  pending: string | null,
  state: string | null,
): Pending {
  const expired = (detail: string) => new OidcRefusal('expired', detail);
  if (pending === null) throw expired('this browser began no sign-in');
  let kept: Pending;
  try {
    kept = JSON.parse(key.open(Buffer.from(pending, 'base64url'), CONTEXT).toString());
  } catch {
    throw expired('the cookie is not ours');
  }
  const nowUs = clock.nowUs();
  if (kept.untilUs < nowUs) throw expired('the sign-in took too long');
  if (kept.state !== state) throw expired('the state is that of another sign-in');
  if (usedStates.look(state, 1, PENDING_S, nowUs).remaining === 0)
    throw expired('the answer was used before');
  usedStates.take(state, PENDING_S, nowUs);
  return kept;
}

interface Person {
  subject: string;
  email: string;
  groups: string[];
}

async function identify(services: OidcServices, kept: Pending, answer: URLSearchParams): Promise<Person> {
  const client = await import('openid-client');
  const configuration = await findConfiguration(services);
  const url = new URL(makeRedirectUri(services));
  url.search = answer.toString();
  let claims: Record<string, unknown>;
  try {
    const tokens = await client.authorizationCodeGrant(configuration, url, {
      pkceCodeVerifier: kept.verifier,
      expectedState: kept.state,
      expectedNonce: kept.nonce,
      idTokenExpected: true,
    });
    claims = { ...tokens.claims() };
    requireOwnParty(claims.azp, services.settings.oidc_client_id);
    // A provider may return some claims only from its UserInfo endpoint (OpenID Connect Core 5.4).
    const lacksGroups = services.settings.oidc_owner_group !== null && claims.groups === undefined;
    const lacks = claims.email === undefined || lacksGroups;
    if (lacks && configuration.serverMetadata().userinfo_endpoint) {
      const more = await client.fetchUserInfo(configuration, tokens.access_token, String(claims.sub));
      claims = { ...more, ...claims };
    }
  } catch (fault) {
    throw new OidcRefusal(isUnreachable(fault) ? 'unreachable' : 'refused', describeProviderFault(fault));
  }
  return readPerson(claims);
}

/**
 * Throws if the ID token was issued to another client (OpenID Connect Core 3.1.3.7, step 5). The library checks that only
 * for a token with several audiences.
 */
function requireOwnParty(azp: unknown, clientId: string | null): void {
  if (azp !== undefined && azp !== clientId)
    throw new Error('the ID token was issued to another client (azp)');
}

function readPerson({ sub, email, email_verified, groups }: Record<string, unknown>): Person {
  if (typeof sub !== 'string' || sub === '' || sub.length > SUBJECT_CHARS_MAX) {
    throw new OidcRefusal('refused', 'the subject is missing or too long');
  }
  // An email that the provider has not verified may be anyone's.
  if (typeof email !== 'string' || email_verified !== true) {
    throw new OidcRefusal('unverified', 'the provider names no verified email (email, email_verified)');
  }
  const listed = Array.isArray(groups) ? groups.slice(0, GROUPS_MAX) : [];
  const named = listed.filter((group) => ['string', 'number'].includes(typeof group));
  try {
    return { subject: sub, email: readEmail(email), groups: named.map(String) };
  } catch {
    throw new OidcRefusal('unverified', 'the email is no address');
  }
}

async function findConfiguration({ oidc }: OidcServices) {
  if (!oidc) throw new OidcRefusal('unreachable', 'no provider is set');
  try {
    return await oidc.configuration();
  } catch (fault) {
    throw new OidcRefusal('unreachable', describeProviderFault(fault));
  }
}

function isUnreachable(fault: unknown): boolean {
  for (let at: unknown = fault; at instanceof Error; at = at.cause)
    if (at instanceof ProviderFault) return true;
  return false;
}
