import { randomBytes } from 'node:crypto';
import { readBasePath } from '../../platform/core/base-path.ts';
import type { Settings } from '../../platform/core/settings.ts';

/*
 * The session cookie. HttpOnly hides it from scripts; SameSite=Strict keeps other sites from sending it. Under https
 * it is also Secure and __Host-, so that no other host, such as a subdomain or plain http, can replace it.
 *
 * Under a base path other programs share the host. Then the cookie is for that path only, so that they are not sent it.
 * A browser accepts __Host- only for the path / (RFC 6265bis 4.1.3.2), so the name begins with __Secure- there.
 */

const NAME = 'postern_session';
/** The longest life of a session (features/accounts/sessions/writes.ts). */
const MAX_AGE_S = 30 * 86_400;

type Addresses = Pick<Settings, 'http_tls' | 'base_url'>;

/** The token that a browser sent, or null. */
export function readToken(request: Request, settings: Addresses): string | null {
  const given = new Map<string, string>();
  for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(0, at)).trim();
    // Of two cookies with the same name, browsers send the one with the longer path first (RFC 6265 5.4): ours, not the
    // one of a Postern at /.
    if (!given.has(name)) given.set(name, pair.slice(at + 1).trim());
  }
  const secure = given.get(secureName(readBasePath(settings)));
  if (secure) return secure;
  return isHttps(settings) ? null : given.get(NAME) || null;
}

/** `Set-Cookie` with a token; null clears the cookie. */
export function formatCookie(token: string | null, request: Request, settings: Addresses): string {
  // Behind an undeclared proxy, only the page's Origin shows that the browser uses https.
  const isSecure = isHttps(settings) || request.headers.get('origin')?.startsWith('https:');
  const base = readBasePath(settings);
  const parts = [
    `${isSecure ? secureName(base) : NAME}=${token ?? ''}`,
    `Path=${base || '/'}`,
    'HttpOnly',
    'SameSite=Strict',
    `Max-Age=${token === null ? 0 : MAX_AGE_S}`,
  ];
  return [...parts, ...(isSecure ? ['Secure'] : [])].join('; ');
}

const PENDING_NAME = 'postern_oidc';

/** What a sign-in with OpenID Connect keeps in the browser, or null. */
export function readPending(request: Request, settings: Addresses): string | null {
  const name = namePending(settings);
  return new RegExp(`(?:^|; *)${name}=([^;]*)`).exec(request.headers.get('cookie') ?? '')?.[1] || null;
}

/** `Set-Cookie` for the pending sign-in. Lax, because the browser returns from the provider's site. */
export function formatPending(pending: string | null, maxAgeS: number, settings: Addresses): string {
  const isSecure = isHttps(settings);
  const name = namePending(settings);
  const parts = [
    `${name}=${pending ?? ''}`,
    `Path=${name.startsWith('__Host-') ? '/' : `${readBasePath(settings)}/auth/oidc`}`,
    'HttpOnly',
    'SameSite=Lax',
    `Max-Age=${maxAgeS}`,
  ];
  return [...parts, ...(isSecure ? ['Secure'] : [])].join('; ');
}

/** __Host- where possible: a sibling host could otherwise set the cookie, and sign a visitor in as somebody else. */
function namePending(settings: Addresses): string {
  return isHttps(settings) ? secureName(readBasePath(settings), PENDING_NAME) : PENDING_NAME;
}

const BROWSER_NAME = 'postern_browser';
/** The format of newBrowserMark. */
const BROWSER_MARK = /^[\w-]{43}$/;

/**
 * Identifies a browser while it signs in with a passkey: a response is accepted only from the browser that got the
 * challenge. Tabs share it, so that a sign-in in one does not void another's.
 */
export function readBrowserMark(request: Request, settings: Addresses): string | null {
  const name = `${isHttps(settings) ? '__Secure-' : ''}${BROWSER_NAME}`;
  const pattern = new RegExp(`(?:^|; *)${name}=([^;]*)`);
  const given = pattern.exec(request.headers.get('cookie') ?? '')?.[1] ?? '';
  return BROWSER_MARK.test(given) ? given : null;
}

export function formatBrowserMark(mark: string, maxAgeS: number, settings: Addresses): string {
  const isSecure = isHttps(settings);
  const parts = [
    `${isSecure ? '__Secure-' : ''}${BROWSER_NAME}=${mark}`,
    `Path=${readBasePath(settings)}/dashboard/api/passkeys`,
    'HttpOnly',
    'SameSite=Strict',
    `Max-Age=${maxAgeS}`,
  ];
  return [...parts, ...(isSecure ? ['Secure'] : [])].join('; ');
}

export const newBrowserMark = () => randomBytes(32).toString('base64url');

function secureName(base: string, name = NAME): string {
  return `${base === '' ? '__Host-' : '__Secure-'}${name}`;
}

function isHttps({ http_tls, base_url }: Addresses): boolean {
  return http_tls || (base_url?.startsWith('https:') ?? false);
}
