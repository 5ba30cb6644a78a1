import { Failure, fail } from '../core/failure.ts';
import { newId } from '../core/id.ts';
import type { PlatformServices } from '../services.ts';
import { admits } from './accept.ts';
import { checkBody, readBody } from './body.ts';
import { onceWish } from './idempotency.ts';
import type { Limiter } from './limit.ts';
import { readQuery } from './query.ts';
import { type Answer, failureOf, refusal, respond, tooManyConnections } from './reply.ts';
import type { Client, OnceWish, Principal, Route, ServedRoute, ServiceView, SunsetPlan } from './route.ts';

/** What is served, and by what; server.ts makes it. */
export interface Service extends ServiceView {
  readonly services: PlatformServices;
  readonly limiter: Limiter;
  /** Whose key this is, or null; asked anew for each request, so that a revoked key stops at once. */
  authenticate(apiKey: string): Principal | null;
  /** Who calls without a key; null when one is needed. */
  openCaller(request: Request, client: Client): Principal | null;
  /** Before the handler of an authenticated request runs. */
  prepare(caller: Principal, route: Route, params: Readonly<Record<string, string>>): Promise<void> | null;
  /** After a request that was let in. */
  seen(caller: Principal, nowUs: number): void;
  /** Whether who asks may read /metrics. */
  mayWatch(client: Client): boolean;
  /** Told of every answer, as it is given. */
  given(answer: GivenAnswer): void;
  /** A request that may take its time showed a valid key or session. */
  trust(request: Request): void;
  /** The request has its answer; whether it showed a valid key or session. The route is null where there was none. */
  settle(request: Request, isKnown: boolean, route: Route | null): void;
}

/** An answer as it is given: to the meters, and to tests that hold it against the document. */
export interface GivenAnswer extends Pick<Answer, 'status' | 'json' | 'bytes'> {
  /** Null: no route has that path and method. */
  route: Route | null;
  headers: Headers;
  /** Since the request came. */
  ms: number;
}

/** One request on its way; the steps fill it. */
interface Exchange {
  readonly service: Service;
  readonly served: ServedRoute;
  readonly route: Route;
  readonly request: Request;
  readonly request_id: string;
  readonly params: Readonly<Record<string, string>>;
  readonly clientIp: string;
  readonly client: Client;
  isWatcher(): boolean;
  readonly nowUs: number;
  /** Headers of the answer, whatever it will be. */
  readonly headers: Headers;
  caller: Principal | null;
  visitor: unknown;
  /** For limits per account, and per inbox. */
  account_id: string | undefined;
  inbox: string | undefined;
  query: Record<string, unknown>;
  body: unknown;
  once: OnceWish | null;
  charge(amount: number): void;
}

/**
 * The order of checks (decisions.md, Requests). Route and method are the server's; what is asked of the
 * resource and of the state is the handler's.
 */
const steps: readonly ((exchange: Exchange) => void | Promise<void>)[] = [
  checkOpen,
  checkAccept,
  checkKey,
  checkOpenToKeys,
  checkAccountState,
  drawFromLimits,
  checkEntitlement,
  readInput,
  prepareResource,
];

/** Serves a request whose route is known. Never rejects. */
export async function serveRoute(
  service: Service,
  served: ServedRoute,
  request: Request,
  params: Readonly<Record<string, string>>,
  client: Client,
): Promise<Response> {
  const { route } = served;
  const beganMs = performance.now();
  const requestId = newId('request');
  const exchange: Exchange = {
    service,
    served,
    route,
    request,
    request_id: requestId,
    params,
    clientIp: client.ip,
    client,
    // Judging an address is not for nothing: only where it matters.
    isWatcher: () => service.mayWatch(client),
    nowUs: service.services.clock.nowUs(),
    headers: commonHeaders(requestId, route.deprecated),
    caller: null,
    visitor: null,
    account_id: undefined,
    inbox: undefined,
    query: {},
    body: undefined,
    once: null,
    charge: (amount) => charge(exchange, amount),
  };
  try {
    for (const step of steps) {
      const pending = step(exchange);
      if (pending) await pending;
    }
    if (route.waits && exchange.caller) service.trust(request);
    return give(service, route, await served.run(exchange), exchange.headers, beganMs);
  } catch (thrown) {
    logFault(exchange, thrown);
    return give(service, route, refusal(failureOf(thrown), requestId), exchange.headers, beganMs);
  } finally {
    if (exchange.caller) service.seen(exchange.caller, exchange.nowUs);
    service.settle(request, exchange.caller !== null, route);
  }
}

/** The answer to a path that is none of ours, or does not take the method. */
export function serveMiss(service: Service, allowed: readonly string[]): Response {
  const requestId = newId('request');
  const headers = commonHeaders(requestId);
  if (allowed.length > 0) headers.set('allow', allowed.join(', '));
  const failure = new Failure(allowed.length > 0 ? 'method_not_allowed' : 'not_found');
  return give(service, null, refusal(failure, requestId), headers, performance.now());
}

/** The answer to a request that is refused before its route is looked for. */
export function serveRefusal(service: Service, failure: Failure): Response {
  const requestId = newId('request');
  return give(service, null, refusal(failure, requestId), commonHeaders(requestId), performance.now());
}

/** The answer on a connection above the bound, which ends with it. */
export function serveCrowd(service: Service): Response {
  const response = serveRefusal(service, tooManyConnections());
  response.headers.set('connection', 'close');
  return response;
}

/** The answer when routing itself failed. */
export function serveFault(service: Service, request: Request, fault: unknown): Response {
  const requestId = newId('request');
  service.services.log.error('a request could not be routed', {
    request_id: requestId,
    method: request.method,
    fault: String(fault),
  });
  const answer = refusal(new Failure('server_error'), requestId);
  return give(service, null, answer, commonHeaders(requestId), performance.now());
}

function give(
  service: Service,
  route: Route | null,
  answer: Answer,
  headers: Headers,
  beganMs: number,
): Response {
  const response = respond(answer, headers);
  const { status, json, bytes } = answer;
  service.given({ route, status, json, bytes, headers, ms: performance.now() - beganMs });
  return response;
}

/** On every answer. What the API says is one caller's, and of this moment: nobody between may keep it. */
function commonHeaders(requestId: string, deprecated: SunsetPlan | null = null): Headers {
  return new Headers({
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    // No page may show an answer in a frame; what has a policy of its own says so itself.
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    ...(deprecated && sunsetHeaders(deprecated)),
  });
}

/** RFC 9745 and RFC 8594. */
function sunsetHeaders({ announced, sunset }: SunsetPlan): Record<string, string> {
  return {
    deprecation: `@${Date.parse(announced) / 1000}`,
    sunset: new Date(sunset).toUTCString(),
  };
}

function checkOpen(exchange: Exchange): void {
  if (exchange.route.auth === 'none') refuseClosed(exchange);
}

/** A key is asked for first: that a request without one is 401 depends on no switch (contract: Authentication). */
function checkOpenToKeys(exchange: Exchange): void {
  if (exchange.route.auth === 'key') refuseClosed(exchange);
}

function refuseClosed({ served }: Exchange): void {
  if (!served.isOpen()) fail('not_found');
}

function checkAccept({ request, route }: Exchange): void {
  if (!admits(request.headers.get('accept'), route.content)) fail('not_acceptable');
}

function checkKey(exchange: Exchange): void {
  const { service, served, route, request } = exchange;
  if (route.auth === 'none') {
    const admitted = served.admit(request, exchange.nowUs, exchange.client);
    exchange.visitor = admitted;
    exchange.caller = admitted?.caller ?? null;
    if (admitted) nameLimited(exchange, admitted.account);
    return;
  }
  const header = request.headers.get('authorization');
  const given = /^bearer +([\x21-\x7e]+) *$/i.exec(header ?? '')?.[1];
  if (header === null) exchange.caller = service.openCaller(request, exchange.client);
  else if (given !== undefined) exchange.caller = service.authenticate(given);
  if (!exchange.caller) fail('authentication_required');
  nameLimited(exchange, exchange.caller.account);
  tellLimits(exchange);
}

function prepareResource({ service, caller, route, params }: Exchange): Promise<void> | undefined {
  return (caller && service.prepare(caller, route, params)) ?? undefined;
}

/** Whose account, and which of its inboxes, the limits count. */
function nameLimited(exchange: Exchange, account: { no: number; id: string }): void {
  const { route, params, service } = exchange;
  exchange.account_id = account.id;
  exchange.inbox = route.limited_inbox?.(account, params.id ?? '', service.services);
}

function checkAccountState({ caller }: Exchange): void {
  if (caller && caller.account.status !== 'active') fail('account_forbidden');
}

function drawFromLimits(exchange: Exchange): void {
  const { service, route, nowUs } = exchange;
  service.limiter.admit(route.limits, route.budgets, exchange, nowUs);
  tellLimits(exchange);
}

function charge(exchange: Exchange, amount: number): void {
  const { service, route, nowUs } = exchange;
  service.limiter.charge(route.budgets, amount, exchange, nowUs);
  tellLimits(exchange);
}

/** X-RateLimit-* of the bucket with the fewest left, on authenticated answers. */
function tellLimits(exchange: Exchange): void {
  const { service, route, caller, nowUs, headers } = exchange;
  const names = route.budgets.length > 0 ? [...route.limits, ...route.budgets] : route.limits;
  const bucket = caller && service.limiter.look(names, exchange, nowUs);
  if (!bucket) return;
  headers.set('x-ratelimit-limit', String(bucket.limit));
  headers.set('x-ratelimit-remaining', String(bucket.remaining));
  headers.set('x-ratelimit-reset', String(bucket.resetS));
}

function checkEntitlement({ service, route, caller }: Exchange): void {
  if (caller) route.entitle?.(caller, service.services);
}

async function readInput(exchange: Exchange): Promise<void> {
  const { service, route, request, params, caller, clientIp } = exchange;
  const given = await readBody(route, request);
  if (given && caller) route.entitleBody?.(given.value, caller, service.services);
  exchange.body = given && checkBody(given);
  exchange.query = readQuery(route.query, request.url);
  exchange.once = onceWish(route, request, params, caller, clientIp, exchange.body);
}

/** A fault is ours, so it is told to the operator; one that comes of a caller who hung up is nobody's. */
function logFault({ service, route, request, request_id }: Exchange, thrown: unknown): void {
  if (thrown instanceof Failure) return;
  const fault = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  const { log } = service.services;
  const fields = { request_id, method: request.method, path: route.path, fault };
  if (request.signal.aborted) log.debug('a caller hung up', fields);
  else log.error('a request failed; the caller was answered 500', fields);
}
