import { fail } from '../../platform/core/failure.ts';

/*
 * What keeps other web pages out, in the browser of whoever uses the dashboard: a page elsewhere may make requests
 * in their name, or show what is here in a frame. A name of its own that is pointed at this machine (DNS rebinding) is
 * refused before any route is looked for (src/app/routes.ts).
 */

const FOREIGN = 'The dashboard answers its own pages only.';

/** Refuses what another page's script asked for. A program that is no browser sends none of these headers. */
export function refuseForeignPages(request: Request, baseUrl: string | null): void {
  const site = request.headers.get('sec-fetch-site');
  // In a tab of its own: a frame, an <object> or an <embed> of another page navigates too.
  const isClick =
    request.method === 'GET' &&
    request.headers.get('sec-fetch-mode') === 'navigate' &&
    request.headers.get('sec-fetch-dest') === 'document';
  if (site !== null && site !== 'same-origin' && site !== 'none' && !isClick) refuse(FOREIGN);
  const origin = request.headers.get('origin');
  if (origin !== null && !isOwn(origin, request.headers.get('host'), baseUrl)) refuse(FOREIGN);
  // What changes something must say where it comes from, if it comes from a browser at all.
  const isBrowser = request.headers.has('cookie') || request.headers.has('sec-fetch-mode');
  const changes = request.method !== 'GET' && request.method !== 'HEAD';
  if (changes && isBrowser && origin === null && site !== 'same-origin') refuse(FOREIGN);
}

/** By the host alone: behind a proxy with https the scheme is another than ours. */
function isOwn(origin: string, host: string | null, baseUrl: string | null): boolean {
  if (!URL.canParse(origin)) return false;
  const own = [host, baseUrl === null ? null : new URL(baseUrl).host];
  return own.includes(new URL(origin).host) || own.includes(`${new URL(origin).hostname}:${portOf(origin)}`);
}

function portOf(origin: string): string {
  const { port, protocol } = new URL(origin);
  return port || (protocol === 'https:' ? '443' : '80');
}

/** Whether another site's page asks, of a browser that says so: for requests that no key protects. */
export function isForeignPage({ headers }: Request, baseUrl: string | null): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none') return true;
  const origin = headers.get('origin');
  return origin !== null && !isOwn(origin, headers.get('host'), baseUrl);
}

function refuse(text: string): never {
  fail('account_forbidden', { text });
}
