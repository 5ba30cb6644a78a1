/** Talks to the identity provider within our own bounds on time, size and certificates (platform/net/post.ts). */
import type { Configuration, CustomFetchOptions } from 'openid-client';
import { cleanText } from '../../../platform/net/clean-text.ts';
import { anyNetwork } from '../../../platform/net/guard.ts';
import { call } from '../../../platform/net/post.ts';
import type { PlatformServices } from '../../../platform/services.ts';

/** How long the provider's endpoints and keys are cached. */
const CACHED_MS = 3_600_000;
/** A larger answer is refused, so that a provider can't fill our memory. */
const ANSWER_BYTES_MAX = 64 * 1024;
/** How far the provider's clock may differ from ours. */
const SKEW_S = 60;
type Needs = Pick<PlatformServices, 'settings' | 'outside' | 'clock'>;

/** The provider could not be reached, or did not answer as OpenID Connect requires. */
export class ProviderFault extends Error {
  override name = 'ProviderFault';
}

export class OidcProvider {
  private cached: { configuration: Promise<Configuration>; untilMs: number } | null = null;

  constructor(private readonly services: Needs) {}

  /** Returns the provider's endpoints, which are discovered once an hour. Rejects with a ProviderFault. */
  configuration(): Promise<Configuration> {
    const nowMs = this.services.clock.elapsedMs();
    if (!this.cached || this.cached.untilMs <= nowMs) {
      const configuration = this.discover().catch((fault: unknown) => {
        // A failure is not cached: the next sign-in tries again.
        this.cached = null;
        throw new ProviderFault(describeProviderFault(fault));
      });
      this.cached = { configuration, untilMs: nowMs + CACHED_MS };
    }
    return this.cached.configuration;
  }

  private async discover(): Promise<Configuration> {
    const client = await import('openid-client');
    const { oidc_issuer, oidc_client_id, oidc_client_secret } = this.services.settings;
    const issuer = new URL(oidc_issuer ?? '');
    const configuration = await client.discovery(
      issuer,
      oidc_client_id ?? '',
      { [client.clockTolerance]: SKEW_S },
      oidc_client_secret === null ? client.None() : client.ClientSecretBasic(oidc_client_secret),
      {
        [client.customFetch]: (url, options) => this.fetch(url, options),
        execute: [
          // Without this, the library skips the signature of an ID token that comes straight from the provider.
          client.enableNonRepudiationChecks,
          // The settings allow http only on loopback.
          ...(issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []),
        ],
      },
    );
    requireEndpoints(configuration.serverMetadata(), issuer.protocol);
    return configuration;
  }

  private async fetch(url: string, { method, headers, body }: CustomFetchOptions): Promise<Response> {
    const { resolver, extraCa } = this.services.outside;
    const outcome = await call({
      url,
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      body: body == null ? null : Buffer.from(String(body)),
      allow: anyNetwork,
      resolver,
      extraCa,
      keptBytesMax: ANSWER_BYTES_MAX,
    });
    if (outcome.kind !== 'answered') throw new ProviderFault(outcome.reasons.join('; '));
    if (outcome.status >= 500) throw new ProviderFault(`${url} answered ${outcome.status}`);
    if (!outcome.call?.isWhole) throw new ProviderFault(`the answer of ${url} is cut off or too large`);
    const type = outcome.call.headers['content-type'];
    return new Response(outcome.body, {
      status: outcome.status,
      headers: type ? { 'content-type': type } : {},
    });
  }
}

const NEEDED = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;

/** Throws a ProviderFault for a document without usable endpoints, which must not be cached for an hour. */
function requireEndpoints(
  metadata: Partial<Record<(typeof NEEDED)[number], unknown>>,
  protocol: string,
): void {
  for (const name of NEEDED) {
    const url = URL.parse(String(metadata[name]));
    // An https issuer may not name an http endpoint. On loopback the issuer itself may use http.
    if (url?.protocol !== 'https:' && url?.protocol !== protocol)
      throw new ProviderFault(`the provider names no usable ${name}`);
  }
}

const FAULT_CHARS_MAX = 500;

/** Joins what a fault and its causes say, because the library's own message says little. */
export function describeProviderFault(fault: unknown): string {
  const texts: unknown[] = [];
  let at = fault;
  for (; at instanceof Error && texts.length < 12; at = at.cause) {
    // The provider's own words (RFC 6749 4.1.2.1 and 5.2), such as `invalid_client`.
    const { error, error_description: description } = at as { error?: unknown; error_description?: unknown };
    texts.push(at.message, error, description);
  }
  if (at instanceof Response) texts.push(`status ${at.status}`);
  const said = texts.filter((text) => typeof text === 'string' && text !== '');
  return cleanText([...new Set(said)].join(': '), FAULT_CHARS_MAX) || String(fault);
}
