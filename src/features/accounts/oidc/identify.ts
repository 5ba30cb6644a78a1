/** Reads the identity provider's answer. */
import type { PlatformServices } from '../../../platform/services.ts';
import { readEmail } from '../email.ts';
import type { Pending } from './pending.ts';
import { describeProviderFault, type OidcProvider, ProviderFault } from './provider.ts';
import { OidcRefusal } from './refusal.ts';

const GROUPS_MAX = 1_000;
const SUBJECT_CHARS_MAX = 255;

type OidcParts = Pick<PlatformServices, 'settings' | 'listening'> & {
  /** Null if no provider is set. */
  readonly oidc: OidcProvider | null;
};

/** Returns the address to which the provider sends the person back. The operator registers it at the provider. */
export function makeRedirectUri({
  settings,
  listening,
}: Pick<PlatformServices, 'settings' | 'listening'>): string {
  return `${(settings.base_url ?? listening.http ?? '').replace(/\/+$/, '')}/auth/oidc/callback`;
}

/** A person, as the provider names them. */
interface ProviderPerson {
  subject: string;
  email: string;
  groups: string[];
}

/** Verifies the provider's answer, and returns who it names. Throws an OidcRefusal. */
export async function identify(
  services: OidcParts,
  kept: Pending,
  answer: URLSearchParams,
): Promise<ProviderPerson> {
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

function readPerson({ sub, email, email_verified, groups }: Record<string, unknown>): ProviderPerson {
  // Lone surrogates are all stored as the same character.
  const isUsable =
    typeof sub === 'string' && sub !== '' && sub.length <= SUBJECT_CHARS_MAX && sub.isWellFormed();
  if (!isUsable) throw new OidcRefusal('refused', 'the subject is missing, too long or not Unicode');
  // An email that the provider has not verified may be anyone's.
  if (typeof email !== 'string' || email_verified !== true) {
    throw new OidcRefusal('unverified', 'the provider names no verified email (email, email_verified)');
  }
  const listed = Array.isArray(groups) ? groups.slice(0, GROUPS_MAX) : [];
  const named = listed.filter((group) => ['string', 'number'].includes(typeof group));
  let ours: string;
  try {
    ours = readEmail(email);
  } catch {
    throw new OidcRefusal('unverified', 'the email is no address');
  }
  // The Kelvin sign is a k in lower case: at the provider, these may be two people.
  if (ours !== email.trim().replace(/[A-Z]+/g, (letters) => letters.toLowerCase()))
    throw new OidcRefusal('unverified', 'the email has capital letters beyond ASCII');
  return { subject: sub, email: ours, groups: named.map(String) };
}

export async function findConfiguration({ oidc }: OidcParts) {
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
