import { randomBytes } from 'node:crypto';
import { PENDING_S } from '../../features/accounts/oidc/pending.ts';
import { CEREMONY_S } from '../../features/accounts/passkeys/challenge.ts';
import { SESSION_LIFETIME_S } from '../../features/accounts/sessions/writes.ts';
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

type Addresses = Pick<Settings, 'http_tls' | 'base_url'>;

interface Attributes {
  path: string;
  sameSite: 'Strict' | 'Lax';
  maxAgeS: number;
  isSecure: boolean;
}

/** `Set-Cookie`; the value null clears the cookie. */
function formatCookie(name: string, value: string | null, of: Attributes): string {
  const age = value === null ? 0 : of.maxAgeS;
  const end = of.isSecure ? '; Secure' : '';
  return `${name}=${value ?? ''}; Path=${of.path}; HttpOnly; SameSite=${of.sameSite}; Max-Age=${age}${end}`;
}

/**
 * The value of a cookie that a browser sent, or null. Of two cookies with the same name, browsers send the one with the
 * longer path first (RFC 6265 5.4): ours, not the one of a Postern at /.
 */
function readCookie(request: Request, name: string): string | null {
  for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim() || null;
  }
  return null;
}

/** The token that a browser sent, or null. */
export function readToken(request: Request, settings: Addresses): string | null {
  const secure = readCookie(request, secureName(readBasePath(settings)));
  return secure ?? (isHttps(settings) ? null : readCookie(request, NAME));
}

/** `Set-Cookie` with a session's token; null clears the cookie. */
export function formatToken(token: string | null, request: Request, settings: Addresses): string {
  // Behind an undeclared proxy, only the page's Origin shows that the browser uses https.
  const isSecure = isHttps(settings) || request.headers.get('origin')?.startsWith('https:') === true;
  const base = readBasePath(settings);
  const name = isSecure ? secureName(base) : NAME;
  const path = base || '/';
  return formatCookie(name, token, { path, sameSite: 'Strict', maxAgeS: SESSION_LIFETIME_S, isSecure });
}

const PENDING_NAME = 'postern_oidc';

/** What a sign-in with OpenID Connect keeps in the browser, or null. */
export function readPending(request: Request, settings: Addresses): string | null {
  return readCookie(request, namePending(settings));
}

/** `Set-Cookie` for the pending sign-in; null clears it. Lax, because the browser returns from the provider's site. */
export function formatPending(pending: string | null, settings: Addresses): string {
  const name = namePending(settings);
  const path = name.startsWith('__Host-') ? '/' : `${readBasePath(settings)}/auth/oidc`;
  const isSecure = isHttps(settings);
  return formatCookie(name, pending, { path, sameSite: 'Lax', maxAgeS: PENDING_S, isSecure });
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
  const mark = readCookie(request, nameBrowserMark(settings));
  return mark !== null && BROWSER_MARK.test(mark) ? mark : null;
}

export function formatBrowserMark(mark: string, settings: Addresses): string {
  const path = `${readBasePath(settings)}/dashboard/api/passkeys`;
  const isSecure = isHttps(settings);
  const name = nameBrowserMark(settings);
  return formatCookie(name, mark, { path, sameSite: 'Strict', maxAgeS: CEREMONY_S, isSecure });
}

export const newBrowserMark = () => randomBytes(32).toString('base64url');

function nameBrowserMark(settings: Addresses): string {
  return isHttps(settings) ? `__Secure-${BROWSER_NAME}` : BROWSER_NAME;
}

function secureName(base: string, name = NAME): string {
  return `${base === '' ? '__Host-' : '__Secure-'}${name}`;
}

function isHttps({ http_tls, base_url }: Addresses): boolean {
  return http_tls || (base_url?.startsWith('https:') ?? false);
}
