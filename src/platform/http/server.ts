import { Elysia } from 'elysia';
import { readBasePath, stripBasePath } from '../core/base-path.ts';
import type { Failure } from '../core/failure.ts';
import { SlotGate } from '../core/gate.ts';
import { formatHostPort, makeReachable } from '../core/host-port.ts';
import type { HeldServices, PlatformServices } from '../services.ts';
import { answerPreflight, isPreflight, readCorsHeaders } from './cors.ts';
import { serveInner } from './inner-request.ts';
import { Limiter } from './limit.ts';
import { type EventSpec, openApiDocument } from './openapi.ts';
import { findRoutes, matchPath, readPath } from './paths.ts';
import {
  type GivenAnswer,
  type Service,
  serveCrowd,
  serveFault,
  serveMiss,
  serveRefusal,
  serveRoute,
} from './pipeline.ts';
import { writeLastWords } from './reply.ts';
import {
  type Client,
  type Method,
  type Principal,
  type Route,
  type ServedRoute,
  serveWith,
} from './route.ts';
import { type HttpCertificate, openSockets, type Peer, type Secure } from './sockets.ts';

/*
 * The HTTP server. Elysia only routes; every check is in pipeline.ts. Elysia's own validation, parsing and hooks are not used: they
 * run in another order than docs/decisions.md requires, and some of them fail open (docs/architecture.md, A route is a value).
 */

/** What is served, and the hooks that it needs (src/app/routes.ts). */
export interface Api<Services> {
  routes: readonly Route<Services>[];
  /** The requests to webhooks, for the document. */
  events: readonly EventSpec[];
  /** The dashboard's routes, which are in no document. */
  pages: readonly Route<Services>[];
  authenticate: (services: Services, apiKey: string) => Principal | null;
  /** Returns the caller of a request without a key, where that is allowed; null if it needs one. */
  openCaller?: (services: Services, request: Request, client: Client) => Principal | null;
  /** Runs before the handler of an authenticated request. */
  prepare?: (
    services: Services,
    caller: Principal,
    route: { path: string },
    params: Readonly<Record<string, string>>,
  ) => Promise<void> | null;
  seen: (services: Services, caller: Principal, nowUs: number) => void;
  /** Returns the client, from the socket's address and X-Forwarded-For. */
  client: (services: Services, peer: string, headers: Headers) => Client;
  /** Whether the client may read /metrics. */
  mayWatch: (services: Services, client: Client) => boolean;
  /** Whether this address is a trusted proxy, whose connections carry the requests of many clients. */
  isProxy: (services: Services, address: string) => boolean;
  /** Returns why a request is refused before routing; null if it isn't. `path` is without the base path. */
  refuseAtDoor?: (
    services: Services,
    request: Request,
    its: { client: () => Client; path: () => string },
  ) => Failure | null;
}

/** The bound on connections (platform/net/connections.ts). */
export interface ConnectionBound {
  watch(door: { port: number; lastWords: (() => Uint8Array) | null }): void;
  admit(peer: Peer): boolean | Promise<boolean>;
  trust(peer: Peer): void;
  stop(): void;
}

export interface HttpOptions<Services> {
  services: Services;
  api: Api<Services>;
  listen: { host: string; port: number };
  /** Serves https if present. */
  tls?: Pick<Secure, 'certificate' | 'succeed'>;
  /** Returns why the server can't accept mail and requests; null if it can. */
  ready: () => string | null;
  /** Without it, only the number of file descriptors bounds connections. */
  connections?: ConnectionBound;
  /** Called with every response, after the meters. */
  onAnswer?: (given: GivenAnswer) => void;
}

/**
 * Bound of requests that hold many megabytes (docs/decisions.md, Requests). One takes up to 200 MB for a moment: a body of 36 MiB,
 * its text, and what is parsed from that.
 */
const ROOM = { insideMax: 4, waitingMax: 8, waitMs: 20_000 };

export interface HttpServer {
  host: string;
  port: number;
  /** `http://host:port`, as a client on this machine reaches it. */
  url: string;
  /** Sets the certificate of https. Does nothing without https. */
  setCertificate(certificate: HttpCertificate): void;
  /** Accepts no new connection, lets requests in progress finish, and cuts off those that take too long. */
  stop(): Promise<void>;
}

/** Starts the server. Throws if the address can't be opened. */
export function startHttp<Services extends HeldServices>(options: HttpOptions<Services>): HttpServer {
  const { services, api, listen, tls, connections } = options;
  const base = readBasePath(services.settings);
  const findPath = (request: Request) => stripBasePath(readPath(request.url), base);
  const service: Service = {
    services,
    base,
    limiter: new Limiter(services),
    room: new SlotGate(services.clock, ROOM),
    ...bindHooks(options),
    document: () => (document ??= openApiDocument(api.routes, api.events, base)),
    ask: (outer, inner) => serveInner(service, served, outer, inner),
    trust: (request) => connections?.trust(sockets.findPeer(request)),
    settle(request, isKnown, route) {
      const mayStay = isKnown || api.isProxy(services, sockets.findPeer(request).address);
      // A request that did not wait still has the initial idle time, which is that of a known client.
      if (!mayStay || route?.waits) sockets.allowIdle(request, mayStay);
      if (isKnown) connections?.trust(sockets.findPeer(request));
    },
  };
  let document: unknown;
  const findClient = (request: Request) =>
    api.client(services, sockets.findPeer(request).address, request.headers);
  const served = [...api.routes, ...api.pages].map((route) => serveWith(route, services));
  const keepOpen = (request: Request) => sockets.keepOpen(request);
  const router = makeRouter(service, served, { findClient, findPath, keepOpen, isHttps: tls !== undefined });
  const answerPlainly = (request: Request) => {
    const its = { client: () => findClient(request), path: () => findPath(request) };
    const refusal = api.refuseAtDoor?.(services, request, its);
    if (!refusal) return router.fetch(request);
    service.settle(request, false, null);
    return serveRefusal(service, refusal);
  };
  const answer = (request: Request) => answerWithCors(service, request, findPath, answerPlainly);
  const watch = () => connections?.watch({ port: sockets.port, lastWords: tls ? null : writeLastWords });
  const { clock, log } = services;
  const secure = tls && { ...tls, clock, log, onOpened: watch };
  const sockets = openSockets(listen, secure, (request) => {
    const isAdmitted = connections?.admit(sockets.findPeer(request)) ?? true;
    if (isAdmitted === true) return answer(request);
    return Promise.resolve(isAdmitted).then((is) => (is ? answer(request) : serveCrowd(service)));
  });
  const { host, port } = sockets;
  watch();
  return {
    host,
    port,
    url: `${tls ? 'https' : 'http'}://${formatHostPort(makeReachable(sockets))}`,
    setCertificate: (next) => sockets.setCertificate(next),
    async stop() {
      connections?.stop();
      await sockets.stop();
    },
  };
}

/** Binds the hooks of the API to its services, for the pipeline. */
function bindHooks<Services extends HeldServices>({ api, services, ready, onAnswer }: HttpOptions<Services>) {
  return {
    ready,
    given(given) {
      meterAnswer(services, given);
      onAnswer?.(given);
    },
    authenticate: (apiKey) => api.authenticate(services, apiKey),
    openCaller: (request, client) => api.openCaller?.(services, request, client) ?? null,
    prepare: (caller, route, params) => api.prepare?.(services, caller, route, params) ?? null,
    seen: (caller, nowUs) => api.seen(services, caller, nowUs),
    mayWatch: (client) => api.mayWatch(services, client),
  } satisfies Partial<Service>;
}

/** Adds the CORS headers to responses of the API, for pages of the origins in POSTERN_CORS_ORIGINS. */
function answerWithCors(
  service: Service,
  request: Request,
  findPath: (request: Request) => string,
  answer: (request: Request) => Response | Promise<Response>,
): Response | Promise<Response> {
  const cors = readCorsHeaders(request, service.services.settings.cors_origins);
  if (cors === null || !/^\/(api\/v1\/|mcp$)/.test(findPath(request))) return answer(request);
  if (isPreflight(request)) {
    service.settle(request, false, null);
    return answerPreflight(cors);
  }
  return Promise.resolve(answer(request)).then((response) => {
    for (const [name, value] of Object.entries(cors)) response.headers.append(name, value);
    return response;
  });
}

interface RouterParts {
  findClient: (request: Request) => Client;
  /** Returns the path without the base path. */
  findPath: (request: Request) => string;
  keepOpen: (request: Request) => void;
  isHttps: boolean;
}

function makeRouter(
  service: Service,
  routes: readonly ServedRoute[],
  { findClient, findPath, keepOpen, isHttps }: RouterParts,
) {
  // Elysia looks for the slash of the path from character 11 on with standardHostname, and otherwise from 7. From 11, it would miss
  // the one of http://abc/. From 7, it would find the second slash of https://, and so no route at all.
  const handler = { standardHostname: isHttps };
  const router = new Elysia({ normalize: false, strictPath: true, handler });
  // `/messages/batch` is a path of its own, whatever the method, and never a message named batch.
  const literal = new Set(routes.map(({ route }) => route.path));
  const handleBy = (served: ServedRoute | undefined, request: Request) => {
    const path = findPath(request);
    const route = served?.route;
    // Not Elysia's own parameters, which leave out those that can't be decoded.
    const params = route && (route.path === path || !literal.has(path)) ? matchPath(route.path, path) : null;
    if (route?.waits) keepOpen(request);
    if (served && params) return serveRoute(service, served, request, params, findClient(request));
    service.settle(request, false, null);
    const methods = findRoutes(routes, path).flatMap(({ route: { method } }) => listMethods(method));
    return serveMiss(service, [...new Set(methods)].sort());
  };
  for (const served of routes) {
    const { method: own, path } = served.route;
    const handle = ({ request }: { request: Request }) => handleBy(served, request);
    for (const method of listMethods(own)) {
      router.route(method, path, handle, { parse: 'none' });
      if (service.base !== '') router.route(method, service.base + path, handle, { parse: 'none' });
    }
  }
  // Elysia finds a route in 0.7 µs, a search through all of them in 4 µs. But Elysia finds none if Host is empty or missing (a
  // health check by HTTP/1.0), and does not know which methods a path has (for Allow).
  const search = ({ request }: { request: Request }) => {
    const here = findRoutes(routes, findPath(request));
    return handleBy(
      here.find(({ route: { method } }) => listMethods(method).includes(request.method)),
      request,
    );
  };
  router.all('/*', search, { parse: 'none' });
  router.onError(({ request, error }) => {
    service.settle(request, false, null);
    return serveFault(service, request, error);
  });
  return router;
}

/** Counts and times a response. Waits and streams are not timed: they are slow by design, and would drown all others. */
function meterAnswer({ meters }: PlatformServices, { route, status, ms }: GivenAnswer): void {
  meters.count('http_requests_total', { route: route?.name ?? 'none', status });
  if (route && !route.waits) meters.observe('http_request_seconds', ms / 1000);
}

/** Lists the HTTP methods of a route: HEAD is served wherever GET is, and Bun drops the body. */
function listMethods(method: Method): string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}
