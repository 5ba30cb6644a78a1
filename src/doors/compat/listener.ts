/**
 * The door for programs that were written for Mailpit or MailHog. It has a listener of its own, because our API answers
 * the same paths differently. Only capture mode opens it, on loopback, and it asks for no key.
 */
import { Failure } from '../../platform/core/failure.ts';
import { formatHostPort } from '../../platform/core/host-port.ts';
import type { Listen } from '../../platform/core/settings.ts';
import { matchPath, readPath } from '../../platform/http/paths.ts';
import { readSearch } from '../../platform/http/query.ts';
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

/** How many seconds a client should wait when the disk is full. */
const STORAGE_RETRY_S = 5;

export function openCompat(services: CompatServices, accountNo: number, listen: Listen): CompatListener {
  const door = new CompatDoor(services, accountNo);
  const sockets = openSockets(listen, undefined, async (request) => {
    const response = await answer(door, listen, request);
    response.headers.set('x-content-type-options', 'nosniff');
    response.headers.set('cache-control', 'no-store');
    response.headers.set('referrer-policy', 'no-referrer');
    return response;
  });
  return { url: `http://${formatHostPort(sockets)}`, stop: () => sockets.stop() };
}

async function answer(door: CompatDoor, listen: Listen, request: Request): Promise<Response> {
  try {
    refuseForeignHost(listen, request);
    refuseProxied(request);
    refuseForeignPages(request, null);
    return await route(door, request);
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

function route(door: CompatDoor, request: Request): Response | Promise<Response> {
  const path = readPath(request.url);
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const methods: string[] = [];
  for (const one of routes) {
    const params = matchPath(one.path, path);
    if (!params) continue;
    if (one.method === method) {
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
  const retryAfterS = thrown.code === 'storage_unavailable' ? STORAGE_RETRY_S : thrown.retryAfterS;
  if (retryAfterS !== undefined) response.headers.set('retry-after', String(retryAfterS));
  return response;
}
