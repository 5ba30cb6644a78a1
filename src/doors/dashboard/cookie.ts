import type { Settings } from '../../platform/core/settings.ts';

/*
 * The session's cookie. HttpOnly: no script reads it. SameSite=Strict: no other site sends it. Under https it is
 * Secure and __Host-: then no other host, a subdomain or plain http included, can put one of its own in its place.
 */

const NAME = 'postern_session';
const SECURE_NAME = `__Host-${NAME}`;
/** As long as a session lives at most (features/accounts/sessions/writes.ts). */
const MAX_AGE_S = 30 * 86_400;

type Addresses = Pick<Settings, 'http_tls' | 'base_url'>;

/** The token that a browser sent, or null. */
export function tokenOf(request: Request, settings: Addresses): string | null {
  const given = new Map(
    (request.headers.get('cookie') ?? '').split(';').map((pair): [string, string] => {
      const at = pair.indexOf('=');
      return [pair.slice(0, Math.max(0, at)).trim(), pair.slice(at + 1).trim()];
    }),
  );
  const secure = given.get(SECURE_NAME);
  if (secure) return secure;
  return isHttps(settings) ? null : given.get(NAME) || null;
}

/** `Set-Cookie` with a token, or, with null, without one any more. */
export function cookieWith(token: string | null, request: Request, settings: Addresses): string {
  // Behind a proxy that nobody told us of, the page's own address tells that the browser sees https.
  const isSecure = isHttps(settings) || request.headers.get('origin')?.startsWith('https:');
  const parts = [
    `${isSecure ? SECURE_NAME : NAME}=${token ?? ''}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Strict',
    `Max-Age=${token === null ? 0 : MAX_AGE_S}`,
  ];
  return [...parts, ...(isSecure ? ['Secure'] : [])].join('; ');
}

function isHttps({ http_tls, base_url }: Addresses): boolean {
  return http_tls || (base_url?.startsWith('https:') ?? false);
}
