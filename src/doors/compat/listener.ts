/**
 * The door for programs that were written for Mailpit or MailHog. It has a listener of its own, because our API answers
 * the same paths differently. Only capture mode opens it, on loopback, and it asks for no key unless all of capture does.
 */
import { Failure } from '../../platform/core/failure.ts';
import { formatHostPort } from '../../platform/core/host-port.ts';
import type { Listen } from '../../platform/core/settings.ts';
import { matchPath, readPath } from '../../platform/http/paths.ts';
import { readSearch } from '../../platform/http/query.ts';
import { formatRetryAfter } from '../../platform/http/reply.ts';
import { openSockets } from '../../platform/http/sockets.ts';
import { isProxied } from '../../platform/net/client-ip.ts';
import { namesThisServer } from '../../platform/net/own-host.ts';
import { refuseForeignPages } from '../dashboard/origin.ts';
import { answerText, CompatDoor, type CompatRoute, type CompatServices } from './door.ts';
import { mailhogRoutes } from './mailhog.ts';
import { mailpitRoutes } from './mailpit.ts';

export interface CompatListener {
  /** `http://host:port`. */
  url: string;
  stop(): Promise<void>;
}

/** Mailpit's routes come first: where both tools have a path, Mailpit's answer is sent. */
const routes: readonly CompatRoute[] = [...mailpitRoutes, ...mailhogRoutes];

type IsKey = (text: string) => boolean;

/** @param isKey Whether a text is the account's key; null if no key is needed. */
export function openCompat(
  services: CompatServices,
  accountNo: number,
  listen: Listen,
  isKey: IsKey | null,
): CompatListener {
  const door = new CompatDoor(services, accountNo);
  const sockets = openSockets(listen, undefined, async (request) => {
    const response = await answer(door, listen, isKey, request);
    response.headers.set('x-content-type-options', 'nosniff');
    response.headers.set('cache-control', 'no-store');
    response.headers.set('referrer-policy', 'no-referrer');
    return response;
  });
  return { url: `http://${formatHostPort(sockets)}`, stop: () => sockets.stop() };
}

async function answer(
  door: CompatDoor,
  listen: Listen,
  isKey: IsKey | null,
  request: Request,
): Promise<Response> {
  try {
    refuseForeignHost(listen, request);
    refuseProxied(request);
    refuseForeignPages(request, null);
    return await route(door, isKey, request);
  } catch (thrown) {
    return answerRefusal(door, thrown);
  }
}

/** Refuses another site's name that points to this machine (DNS rebinding). Every browser sends Host. */
function refuseForeignHost(listen: Listen, { headers }: Request): void {
  const host = headers.get('host') ?? '';
  if (host === '' || namesThisServer(host, listen, null)) return;
  throw new Failure('account_forbidden', {
    text: 'The Host header does not name this machine: use localhost or 127.0.0.1.',
  });
}

/** Behind a proxy on this machine, every client in the world would appear to be on it. */
function refuseProxied({ headers }: Request): void {
  if (!isProxied(headers)) return;
  throw new Failure('account_forbidden', {
    text: 'This address answers only programs on this machine, and a proxy passed the request on.',
  });
}

/** Those tools have Basic authentication (RFC 7617), so their clients send the key as its password, with any user name. */
function requireKey(isKey: IsKey, { headers }: Request): void {
  const [, scheme, given = ''] = /^(basic|bearer) +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? [];
  const isBasic = scheme?.toLowerCase() === 'basic';
  const key = isBasic ? /:(.*)/s.exec(Buffer.from(given, 'base64').toString())?.[1] : given;
  if (key && isKey(key)) return;
  throw new Failure('authentication_required', {
    text: 'POSTERN_CAPTURE_OPEN is off: send the API key as the password of Basic authentication, with any user name.',
  });
}

function route(door: CompatDoor, isKey: IsKey | null, request: Request): Response | Promise<Response> {
  const path = readPath(request.url);
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const methods: string[] = [];
  for (const one of routes) {
    const params = matchPath(one.path, path);
    if (!params) continue;
    if (one.method === method) {
      if (isKey !== null && !one.isOpen) requireKey(isKey, request);
      return one.run({ door, request, params, query: readSearch(request.url) });
    }
    methods.push(one.method);
  }
  if (methods.length === 0) return answerText('404 page not found', 404);
  const refused = answerText('Method Not Allowed', 405);
  refused.headers.set('allow', [...new Set(methods)].sort().join(', '));
  return refused;
}

/** Answers errors like those tools: as plain text, and with 400 for what can't be read. */
function answerRefusal({ services }: CompatDoor, thrown: unknown): Response {
  if (!(thrown instanceof Failure)) {
    services.log.error('a request to the Mailpit and MailHog interface failed', { fault: String(thrown) });
    return answerText('Internal Server Error', 500);
  }
  const response = answerText(thrown.message, thrown.status === 422 ? 400 : thrown.status);
  if (thrown.code === 'authentication_required')
    response.headers.set('www-authenticate', 'Basic realm="Postern"');
  const retryAfter = formatRetryAfter(thrown);
  if (retryAfter !== undefined) response.headers.set('retry-after', retryAfter);
  return response;
}
