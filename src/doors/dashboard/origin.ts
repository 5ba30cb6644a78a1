import { fail } from '../../platform/core/failure.ts';

/*
 * Keeps other sites' pages from using the dashboard through its user's browser, by requests in the user's name or by
 * framing our pages. A foreign host name that points to this machine (DNS rebinding) is refused before routing
 * (src/app/routes.ts).
 */

/** Refuses requests of another site's page. */
export function refuseForeignPages(request: Request, baseUrl: string | null): void {
  const site = request.headers.get('sec-fetch-site');
  // Only in a tab of its own: a frame, <object> or <embed> of another page is also a navigation.
  const isClick =
    request.method === 'GET' &&
    request.headers.get('sec-fetch-mode') === 'navigate' &&
    request.headers.get('sec-fetch-dest') === 'document';
  if (site !== null && site !== 'same-origin' && site !== 'none' && !isClick) refuse();
  const origin = request.headers.get('origin');
  if (origin !== null && !isOwn(origin, request.headers.get('host'), baseUrl)) refuse();
  // A change must name its origin if it comes from a browser at all. Node's fetch sends Sec-Fetch-Mode alone.
  const isBrowser = request.headers.has('cookie') || site !== null;
  const changes = request.method !== 'GET' && request.method !== 'HEAD';
  if (changes && isBrowser && origin === null && site !== 'same-origin') refuse();
}

/** Compares only the host: behind an https proxy the scheme differs from ours. */
function isOwn(origin: string, host: string | null, baseUrl: string | null): boolean {
  if (!URL.canParse(origin)) return false;
  const own = [host, baseUrl === null ? null : new URL(baseUrl).host];
  const { host: given, hostname } = new URL(origin);
  return own.includes(given) || own.includes(`${hostname}:${readPort(origin)}`);
}

function readPort(origin: string): string {
  const { port, protocol } = new URL(origin);
  return port || (protocol === 'https:' ? '443' : '80');
}

/** Whether a browser says that another site's page sent the request; for requests that no key protects. */
export function isForeignPage({ headers }: Request, baseUrl: string | null): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none') return true;
  const origin = headers.get('origin');
  return origin !== null && !isOwn(origin, headers.get('host'), baseUrl);
}

function refuse(): never {
  fail('account_forbidden', { text: 'The dashboard answers only its own pages.' });
}
