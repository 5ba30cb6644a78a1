import { fail } from '../core/failure.ts';

/*
 * What keeps other web pages out, in the browser of whoever uses the dashboard: a page elsewhere may make requests
 * in their name, and a name of its own may be pointed at this machine (DNS rebinding).
 */

const FOREIGN = 'The dashboard answers its own pages only.';

/** Refuses what another page's script asked for. A program that is no browser sends none of these headers. */
export function refuseForeignPages(request: Request, base_url: string | null): void {
  const site = request.headers.get('sec-fetch-site');
  const is_click = request.method === 'GET' && request.headers.get('sec-fetch-mode') === 'navigate';
  if (site !== null && site !== 'same-origin' && site !== 'none' && !is_click) refuse(FOREIGN);
  const origin = request.headers.get('origin');
  if (origin !== null && !isOwn(origin, request.headers.get('host'), base_url)) refuse(FOREIGN);
  // What changes something must say where it comes from, if it comes from a browser at all.
  const is_browser = request.headers.has('cookie') || request.headers.has('sec-fetch-mode');
  const changes = request.method !== 'GET' && request.method !== 'HEAD';
  if (changes && is_browser && origin === null && site !== 'same-origin') refuse(FOREIGN);
}

/** By the host alone: behind a proxy with https the scheme is another than ours. */
function isOwn(origin: string, host: string | null, base_url: string | null): boolean {
  if (!URL.canParse(origin)) return false;
  const own = [host, base_url === null ? null : new URL(base_url).host];
  return own.includes(new URL(origin).host) || own.includes(`${new URL(origin).hostname}:${portOf(origin)}`);
}

function portOf(origin: string): string {
  const { port, protocol } = new URL(origin);
  return port || (protocol === 'https:' ? '443' : '80');
}

/**
 * Capture mode asks nobody to sign in, so a request must name this machine: a foreign name that resolves to
 * loopback would let its page read the trap.
 */
export function refuseForeignNames(request: Request): void {
  if (!namesLoopback(request.headers.get('host') ?? '')) {
    refuse('In capture mode the dashboard is at localhost, 127.0.0.1 or [::1] only.');
  }
}

function namesLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/:\d{1,5}$/, '');
  return /^(localhost|([a-z0-9-]+\.)+localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(name);
}

function refuse(text: string): never {
  fail('account_forbidden', { text });
}
