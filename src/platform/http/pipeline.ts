import { type Actor, actAs } from '../core/actor.ts';
import { Failure, fail } from '../core/failure.ts';
import type { SlotGate } from '../core/gate.ts';
import { newId } from '../core/id.ts';
import { makeStream, sliceBytes } from '../core/streamed.ts';
import { describeThrown } from '../core/thrown.ts';
import type { HeldServices } from '../services.ts';
import { acceptsType } from './accept.ts';
import { checkBody, readBody } from './body.ts';
import { readOnce } from './idempotency.ts';
import type { Limiter } from './limit.ts';
import { readQuery } from './query.ts';
import { type Answer, type Body, refuse, refuseCrowd, respond, toFailure, writeBody } from './reply.ts';
import { makeCommonHeaders, setLimits } from './reply-headers.ts';
import type { Client, OnceRequest, Principal, Route, ServedRoute, ServiceView } from './route.ts';

/** What the pipeline needs from the server (server.ts). */
export interface Service extends ServiceView {
  readonly services: HeldServices;
  /** The path of the base URL; empty if it has none. */
  readonly base: string;
  readonly limiter: Limiter;
  /** Bounds the number of requests that hold many megabytes. */
  readonly room: SlotGate;
  /** Returns the owner of a key, or null. It is looked up for each request, so that a revoked key stops working at once. */
  authenticate(apiKey: string): Principal | null;
  /** Returns the caller of a request without a key; null if it needs one. */
  openCaller(request: Request, client: Client): Principal | null;
  /** Called before the handler of an authenticated request. */
  prepare(caller: Principal, route: Route, params: Readonly<Record<string, string>>): Promise<void> | null;
  /** Called after an authenticated request. */
  seen(caller: Principal, nowUs: number): void;
  /** Whether the client may read /metrics. */
  mayWatch(client: Client): boolean;
  /** Called with every response. */
  given(answer: GivenAnswer): void;
  /** Notes that a request that may take long has a valid key or session. */
  trust(request: Request): void;
  /** Called when a request is answered. `isKnown`: it had a valid key or session. `route` is null if none matched. */
  settle(request: Request, isKnown: boolean, route: Route | null): void;
}

/** A response as sent, for the meters and for tests that compare it with the document. */
export interface GivenAnswer extends Pick<Answer, 'status' | 'json' | 'bytes'> {
  /** Null if no route has that path and method. */
  route: Route | null;
  headers: Headers;
  /** Time since the request arrived. */
  ms: number;
}

/** A request in progress, which the steps fill in. */
interface Exchange {
  readonly service: Service;
  readonly served: ServedRoute;
  readonly route: Route;
  readonly request: Request;
  readonly requestId: string;
  readonly params: Readonly<Record<string, string>>;
  readonly client: Client;
  isWatcher(): boolean;
  readonly nowUs: number;
  /** Headers of the response, whether it succeeds or fails. */
  readonly headers: Headers;
  caller: Principal | null;
  visitor: unknown;
  /** For limits per account, and per inbox. */
  accountId: string | undefined;
  limitedSubject: string | undefined;
  query: Record<string, unknown>;
  body: unknown;
  once: OnceRequest | null;
  charge(amount: number): void;
  takeRoom(): Promise<void>;
  leaveRoom: (() => void) | null;
}

/**
 * The checks of a request, in the order of docs/decisions.md, Requests. Before them, the server finds the route and checks the
 * method. After them, the handler checks the resource and its state.
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
    requestId,
    params,
    client,
    // Checking an address takes time, so it is done only when a handler asks.
    isWatcher: () => service.mayWatch(client),
    nowUs: service.services.clock.nowUs(),
    headers: makeCommonHeaders(requestId, route.deprecated),
    caller: null,
    visitor: null,
    accountId: undefined,
    limitedSubject: undefined,
    query: {},
    body: undefined,
    once: null,
    charge: (amount) => charge(exchange, amount),
    takeRoom: () => takeRoom(exchange),
    leaveRoom: null,
  };
  try {
    for (const step of steps) {
      const pending = step(exchange);
      if (pending) await pending;
    }
    if (route.waits && exchange.caller) service.trust(request);
    const answer = await (isRead(route)
      ? served.run(exchange)
      : actAs(makeActor(exchange), () => served.run(exchange)));
    return give(service, route, answer, exchange.headers, beganMs, holdLarge(exchange, answer));
  } catch (thrown) {
    logFault(exchange, thrown);
    return give(service, route, refuse(toFailure(thrown), requestId), exchange.headers, beganMs);
  } finally {
    exchange.leaveRoom?.();
    if (exchange.caller) service.seen(exchange.caller, exchange.nowUs);
    service.settle(request, exchange.caller !== null, route);
  }
}

/** Smaller bodies are not counted: Bun may keep a copy of each until the client has read it. */
const LARGE_BYTES = 256 * 1024;

/** Counts a large body towards the bound of all in memory. Without room it is 429, unless a retry would repeat a change. */
function holdLarge({ service: { services }, caller, request, route, once }: Exchange, answer: Answer): Body {
  const body = writeBody(answer);
  // Bun answers HEAD without a body.
  const isWhole = body === null || body instanceof ReadableStream || request.method === 'HEAD';
  if (isWhole || body.length <= LARGE_BYTES) return body;
  // Without a caller it is a document that all share, so only the piece being sent takes memory.
  const mustFit = once === null && (answer.isOnly || route.creates);
  const held = caller && services.heldBytes.take(caller.account.no, Buffer.byteLength(body), mustFit);
  return makeStream(services, sliceBytes(typeof body === 'string' ? Buffer.from(body) : body), held);
}

/** Whether the route only reads, so that nothing of it is audited. */
function isRead({ method, auth }: Route): boolean {
  return method === 'GET' && auth === 'key';
}

function makeActor({ caller, client, request }: Exchange): Actor {
  const from = { address: client.address, agent: request.headers.get('user-agent') };
  if (!caller) return { kind: 'visitor', id: null, ...from };
  if (caller.kind === 'key') return { kind: 'key', id: caller.key_id, ...from };
  if (caller.kind === 'session') return { kind: 'user', id: caller.user_id, ...from };
  return { kind: 'capture', id: null, ...from };
}

/** Returns the response if no route has the path (404), or none of its routes has the method (405). */
export function serveMiss(service: Service, allowed: readonly string[]): Response {
  const requestId = newId('request');
  const headers = makeCommonHeaders(requestId);
  if (allowed.length > 0) headers.set('allow', allowed.join(', '));
  const failure = new Failure(allowed.length > 0 ? 'method_not_allowed' : 'not_found');
  return give(service, null, refuse(failure, requestId), headers, performance.now());
}

/** Returns the response to a request that is refused before routing. */
export function serveRefusal(service: Service, failure: Failure): Response {
  const requestId = newId('request');
  return give(service, null, refuse(failure, requestId), makeCommonHeaders(requestId), performance.now());
}

/** Returns the response on a connection above the bound, which is closed after it. */
export function serveCrowd(service: Service): Response {
  const response = serveRefusal(service, refuseCrowd());
  response.headers.set('connection', 'close');
  return response;
}

/** Returns the response if routing itself has failed. */
export function serveFault(service: Service, request: Request, fault: unknown): Response {
  const requestId = newId('request');
  service.services.log.error('a request could not be routed', {
    request_id: requestId,
    method: request.method,
    fault: String(fault),
  });
  const answer = refuse(new Failure('server_error'), requestId);
  return give(service, null, answer, makeCommonHeaders(requestId), performance.now());
}

function give(
  service: Service,
  route: Route | null,
  answer: Answer,
  headers: Headers,
  beganMs: number,
  body: Body = writeBody(answer),
): Response {
  const response = respond(answer, body, headers, service.base);
  const { status, json, bytes } = answer;
  service.given({ route, status, json, bytes, headers, ms: performance.now() - beganMs });
  return response;
}

function checkOpen(exchange: Exchange): void {
  if (exchange.route.auth === 'none') refuseClosed(exchange);
}

/** Runs after the key check: a request without a key gets 401 even if the route is closed (docs/api-v1.md, Authentication). */
function checkOpenToKeys(exchange: Exchange): void {
  if (exchange.route.auth === 'key') refuseClosed(exchange);
}

function refuseClosed({ served }: Exchange): void {
  if (!served.isOpen()) fail('not_found');
}

function checkAccept({ request, route }: Exchange): void {
  if (!acceptsType(request.headers.get('accept'), route.content)) fail('not_acceptable');
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
  reportLimits(exchange);
}

function prepareResource({ service, caller, route, params }: Exchange): Promise<void> | undefined {
  return (caller && service.prepare(caller, route, params)) ?? undefined;
}

/** Sets the account, and the inbox or domain, that limits count. */
function nameLimited(exchange: Exchange, account: { no: number; id: string }): void {
  const { route, params, service } = exchange;
  exchange.accountId = account.id;
  exchange.limitedSubject = route.limitedSubject?.(account, params.id ?? '', service.services);
}

function checkAccountState({ caller }: Exchange): void {
  if (caller && caller.account.status !== 'active') fail('account_forbidden');
}

function drawFromLimits(exchange: Exchange): void {
  const { service, route, nowUs } = exchange;
  service.limiter.admit(route.limits, route.budgets, exchange, nowUs);
  reportLimits(exchange);
}

function charge(exchange: Exchange, amount: number): void {
  const { service, route, nowUs } = exchange;
  service.limiter.charge(route.budgets, amount, exchange, nowUs);
  reportLimits(exchange);
}

/** Retry-After of a request without room, in seconds: enough for another one to end. */
const ROOM_RETRY_S = 5;

/** Waits for room. If two accounts want all of it, neither gets all (SlotGate). */
async function takeRoom(exchange: Exchange): Promise<void> {
  if (exchange.leaveRoom) return;
  const { service, request, accountId } = exchange;
  const leave = await service.room.enter(request.signal, accountId);
  exchange.leaveRoom = leave ?? fail('rate_limited', { retryAfterS: ROOM_RETRY_S });
}

/** Sets X-RateLimit-* of an authenticated response, from the bucket with the fewest left. Without a caller there are none. */
function reportLimits(exchange: Exchange): void {
  const { service, route, caller, nowUs, headers } = exchange;
  const names = route.budgets.length > 0 ? [...route.limits, ...route.budgets] : route.limits;
  const bucket = caller && service.limiter.look(names, exchange, nowUs);
  setLimits(headers, bucket);
}

function checkEntitlement({ served, caller }: Exchange): void {
  if (caller) served.entitle(caller);
}

async function readInput(exchange: Exchange): Promise<void> {
  const { service, route, request, params, client } = exchange;
  const given = await readBody(route, request, exchange.takeRoom);
  if (given) checkCallerAgain(exchange);
  const { caller } = exchange;
  if (given && caller) route.entitleBody?.(given.value, caller, service.services);
  exchange.body = given && checkBody(given);
  exchange.query = readQuery(route.query, request.url);
  exchange.once = readOnce(route, request, params, caller, client.ip, exchange.body);
}

/**
 * Repeats the checks of the caller when the body is there: meanwhile the key may have been revoked, the session ended, or the role
 * changed, and a client can send its body slowly.
 */
function checkCallerAgain(exchange: Exchange): void {
  exchange.caller = null;
  reportLimits(exchange);
  checkKey(exchange);
  reportLimits(exchange);
  checkAccountState(exchange);
  checkEntitlement(exchange);
}

/** Logs an unexpected error. One that is caused by a client that hung up is only a debug line. */
function logFault({ service, route, request, requestId }: Exchange, thrown: unknown): void {
  if (thrown instanceof Failure) return;
  const fault = describeThrown(thrown);
  const { log } = service.services;
  const fields = { request_id: requestId, method: request.method, path: route.path, fault };
  if (request.signal.aborted) log.debug('a client hung up', fields);
  else log.error('a request failed; the client got a 500', fields);
}
