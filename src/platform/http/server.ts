import { Elysia } from 'elysia';
import type { Failure } from '../core/failure.ts';
import type { PlatformServices } from '../services.ts';
import { answerPreflight, isPreflight, readCorsHeaders } from './cors.ts';
import { Limiter } from './limit.ts';
import { type EventSpec, openApiDocument } from './openapi.ts';
import {
  type GivenAnswer,
  type Service,
  serveCrowd,
  serveFault,
  serveMiss,
  serveRefusal,
  serveRoute,
} from './pipeline.ts';
import { lastWords } from './reply.ts';
import {
  type Client,
  type Method,
  matchPath,
  type Principal,
  pathOf,
  type Route,
  type ServedRoute,
  servedWith,
} from './route.ts';
import { type HttpCertificate, openSockets, type Peer } from './sockets.ts';

/*
 * The HTTP door's sockets. Elysia routes; every check is in pipeline.ts. Its own validation, parsing and hooks
 * stay unused: they run in another order than the contract's, and some fail open (traps part 2, section 1).
 */

/** What is served; src/app/routes.ts gives it. */
export interface Api<Services> {
  routes: readonly Route<Services>[];
  /** What we send to others: for the document. */
  events: readonly EventSpec[];
  /** Served beside them, and in no document: the dashboard's. */
  pages: readonly Route<Services>[];
  authenticate: (services: Services, apiKey: string) => Principal | null;
  /** Who calls without a key, where that is allowed; null when one is needed. */
  openCaller?: (services: Services, request: Request, client: Client) => Principal | null;
  /** Runs before the handler of an authenticated request. */
  prepare?: (
    services: Services,
    caller: Principal,
    route: { path: string },
    params: Readonly<Record<string, string>>,
  ) => Promise<void> | null;
  seen: (services: Services, caller: Principal, nowUs: number) => void;
  /** Who asks, from the socket's address and X-Forwarded-For. */
  client: (services: Services, peer: string, headers: Headers) => Client;
  /** Whether who asks may read /metrics. */
  mayWatch: (services: Services, client: Client) => boolean;
  /** Whether a trusted proxy has this address; its connections carry the requests of many. */
  isProxy: (services: Services, address: string) => boolean;
  /** What refuses a request before its route is looked for; null when nothing does. */
  refuseAtDoor?: (services: Services, request: Request, client: () => Client) => Failure | null;
}

/** The bound on connections; platform/net/connections.ts. */
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
  /** PEM texts; https when there. */
  tls?: HttpCertificate;
  /** Null when mail and requests can be taken, else the reason why not. */
  ready: () => string | null;
  /** None: as many connections as there are descriptors. */
  connections?: ConnectionBound;
  /** Told of every answer, after the meters. */
  onAnswer?: (given: GivenAnswer) => void;
}

export interface HttpServer {
  host: string;
  port: number;
  /** `http://host:port`, as a client on this machine reaches it. */
  url: string;
  /** For https; without it this does nothing. */
  setCertificate(certificate: HttpCertificate): void;
  /** Takes no new connection, lets what is under way end, and cuts off what takes too long. */
  stop(): Promise<void>;
}

export function startHttp<Services extends PlatformServices>(options: HttpOptions<Services>): HttpServer {
  const { services, api, listen, tls, connections } = options;
  const service: Service = {
    services,
    limiter: new Limiter(services),
    authenticate: (apiKey) => api.authenticate(services, apiKey),
    openCaller: (request, client) => api.openCaller?.(services, request, client) ?? null,
    prepare: (caller, route, params) => api.prepare?.(services, caller, route, params) ?? null,
    seen: (caller, nowUs) => api.seen(services, caller, nowUs),
    mayWatch: (client) => api.mayWatch(services, client),
    ready: options.ready,
    given(given) {
      meterAnswer(services, given);
      options.onAnswer?.(given);
    },
    document: () => (document ??= openApiDocument(api.routes, api.events)),
    trust: (request) => connections?.trust(sockets.peerOf(request)),
    settle(request, isKnown, route) {
      const mayStay = isKnown || api.isProxy(services, sockets.peerOf(request).address);
      // What has not waited has still the time that all begin with, which is that of a known client.
      if (!mayStay || route?.waits) sockets.allowIdle(request, mayStay);
      if (isKnown) connections?.trust(sockets.peerOf(request));
    },
  };
  let document: unknown;
  const clientOf = (request: Request) =>
    api.client(services, sockets.peerOf(request).address, request.headers);
  const served = [...api.routes, ...api.pages].map((route) => servedWith(route, services));
  const router = routerOf(service, served, clientOf, (request) => sockets.keepOpen(request));
  const answerPlainly = (request: Request) => {
    const refusal = api.refuseAtDoor?.(services, request, () => clientOf(request));
    if (!refusal) return router.fetch(request);
    service.settle(request, false, null);
    return serveRefusal(service, refusal);
  };
  const answer = (request: Request) => answerWithCors(service, request, answerPlainly);
  const sockets = openSockets(listen, tls, (request) => {
    const isAdmitted = connections?.admit(sockets.peerOf(request)) ?? true;
    if (isAdmitted === true) return answer(request);
    return Promise.resolve(isAdmitted).then((is) => (is ? answer(request) : serveCrowd(service)));
  });
  const { host, port } = sockets;
  const door = { port, lastWords: tls ? null : lastWords };
  connections?.watch(door);
  return {
    host,
    port,
    url: `${tls ? 'https' : 'http'}://${hostInUrl(host)}:${port}`,
    setCertificate(next) {
      sockets.setCertificate(next);
      connections?.watch(door);
    },
    async stop() {
      connections?.stop();
      await sockets.stop();
    },
  };
}

/** The API's answers to pages of the origins in POSTERN_CORS_ORIGINS; everything else is answered as it is. */
function answerWithCors(
  service: Service,
  request: Request,
  answer: (request: Request) => Response | Promise<Response>,
): Response | Promise<Response> {
  const cors = readCorsHeaders(request, service.services.settings.cors_origins);
  if (cors === null || !pathOf(request.url).startsWith('/api/v1/')) return answer(request);
  if (isPreflight(request)) {
    service.settle(request, false, null);
    return answerPreflight(cors);
  }
  return Promise.resolve(answer(request)).then((response) => {
    for (const [name, value] of Object.entries(cors)) response.headers.append(name, value);
    return response;
  });
}

function routerOf(
  service: Service,
  routes: readonly ServedRoute[],
  clientOf: (request: Request) => Client,
  keepOpen: (request: Request) => void,
) {
  // standardHostname: else a Host of one to three letters on port 80 is routed wrongly.
  const router = new Elysia({ normalize: false, strictPath: true, handler: { standardHostname: false } });
  // `/messages/batch` is a path of its own and no message named batch, whatever the method.
  const literal = new Set(routes.map(({ route }) => route.path));
  const handleBy = (served: ServedRoute | undefined, request: Request) => {
    const path = pathOf(request.url);
    const route = served?.route;
    // Not Elysia's own parameters: it can't tell those that can't be decoded.
    const params = route && (route.path === path || !literal.has(path)) ? matchPath(route.path, path) : null;
    if (route?.waits) keepOpen(request);
    if (served && params) return serveRoute(service, served, request, params, clientOf(request));
    service.settle(request, false, null);
    const methods = routesAt(routes, path).flatMap(({ route: { method } }) => methodsOf(method));
    return serveMiss(service, [...new Set(methods)].sort());
  };
  for (const served of routes) {
    const { method: own, path } = served.route;
    const handle = ({ request }: { request: Request }) => handleBy(served, request);
    for (const method of methodsOf(own)) router.route(method, path, handle, { parse: 'none' });
  }
  // Elysia finds a route in 0.7 us, and a look through all of them takes 4 us. But it finds none behind an empty Host or
  // none (a health check by HTTP/1.0), nor can it say which methods a path has (Allow).
  const search = ({ request }: { request: Request }) => {
    const here = routesAt(routes, pathOf(request.url));
    return handleBy(
      here.find(({ route: { method } }) => methodsOf(method).includes(request.method)),
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

/** Waits and streams take their time by design: it would drown all else. */
function meterAnswer({ meters }: PlatformServices, { route, status, ms }: GivenAnswer): void {
  meters.count('http_requests_total', { route: route?.name ?? 'none', status });
  if (route && !route.waits) meters.observe('http_request_seconds', ms / 1000);
}

/** HEAD is answered wherever GET is; Bun drops the body. */
function methodsOf(method: Method): string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}

/** The routes at a path, one for each method: those that name it, else those that it fits. */
function routesAt(routes: readonly ServedRoute[], path: string): ServedRoute[] {
  const literal = routes.filter(({ route }) => route.path === path);
  return literal.length > 0 ? literal : routes.filter(({ route }) => matchPath(route.path, path));
}

/** An address that means every interface is reached on this machine by loopback. */
function hostInUrl(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
