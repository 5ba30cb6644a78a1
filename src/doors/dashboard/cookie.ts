import type { Settings } from '../../platform/core/settings.ts';

/*
 * The session cookie. HttpOnly hides it from scripts; SameSite=Strict keeps other sites from sending it. Under https
 * it is also Secure and __Host-, so that no other host, such as a subdomain or plain http, can replace it.
 */

const NAME = 'postern_session';
const SECURE_NAME = `__Host-${NAME}`;
/** The longest life of a session (features/accounts/sessions/writes.ts). */
const MAX_AGE_S = 30 * 86_400;

type Addresses = Pick<Settings, 'http_tls' | 'base_url'>;

/** The token that a browser sent, or null. */
export function readToken(request: Request, settings: Addresses): string | null {
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

/** `Set-Cookie` with a token; null clears the cookie. */
export function formatCookie(token: string | null, request: Request, settings: Addresses): string {
  // Behind an undeclared proxy, only the page's Origin shows that the browser uses https.
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
