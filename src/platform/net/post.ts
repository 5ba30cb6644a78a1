/**
 * Sends one request to a stranger's server (docs/decisions.md, Webhooks). Only addresses that the guard has checked are dialled;
 * the name is used for SNI, the certificate and Host. Redirects are not followed, responses are not decompressed, connections are
 * reused only if the caller keeps some, and proxy variables are ignored.
 */

import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestPlain,
} from 'node:http';
import { request as requestSecure } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { Network } from '../core/settings.ts';
import { readCode } from '../core/thrown.ts';
import type { Resolver } from './dns.ts';
import { type Address, isSameAddress, resolveTarget, type Target } from './guard.ts';
import type { KeptUse } from './kept-connections.ts';
import { nameNetworkFault } from './network-fault.ts';
import { makeVerifyingContext } from './secure-context.ts';

export interface PostOptions {
  url: string;
  /** In addition to Host, Content-Length, Connection and Accept-Encoding, which are set here. */
  headers: Record<string, string>;
  body: Uint8Array;
  /** Non-public networks that may be reached, over plain http too. */
  allow: readonly Network[];
  resolver: Resolver;
  /** PEM, trusted in addition to the built-in roots. Pass the same array each time: it is the key of a cache. */
  extraCa: readonly string[];
  timeouts?: Partial<PostTimes>;
  /** Aborts the request; the outcome is unreachable. */
  signal?: AbortSignal;
  /** Connections to reuse. Without it, the request opens and closes its own. */
  kept?: KeptUse;
}

/** Options of a request without a body. `keptBytesMax` bounds the body that is returned. */
export type GetOptions = Omit<PostOptions, 'body'> & { keptBytesMax: number };

/** Options of `call`. */
type CallOptions = Omit<PostOptions, 'body'> & {
  method: 'POST' | 'GET' | 'HEAD';
  body: Uint8Array | null;
  keptBytesMax: number;
};

/** Options of any request; `isCall` if `call` sends it. */
type Ask = CallOptions & { isCall?: true };

export interface PostTimes {
  /** From dialling until TLS is established; 5 s by default. */
  connectMs: number;
  /** For the whole request, including the look-up; 10 s by default. */
  totalMs: number;
}

export type PostOutcome =
  /** A response with any status, even if the rest was cut off. `body` has its first bytes (2 KiB of a POST). */
  | {
      kind: 'answered';
      status: number;
      retryAfter: string | null;
      /** The Location of a redirect, as written. */
      location: string | null;
      body: string;
      durationMs: number;
      /** Only from `call`: all headers, and whether the whole body has arrived and is in `body`. */
      call?: { headers: IncomingHttpHeaders; isWhole: boolean };
    }
  /** The guard refused the URL or an address of it. Nothing was sent. */
  | { kind: 'refused'; reasons: string[] }
  | { kind: 'unreachable'; reasons: string[]; durationMs: number };

type Answer = Omit<Extract<PostOutcome, { kind: 'answered' }>, 'durationMs'>;
/**
 * `isSent`: the server may have read the request, so no other address is tried. `isStale`: nothing came back over a kept
 * connection, because the server was just closing it, as servers do with idle ones (RFC 9112 9.5).
 */
type Attempt = Answer | { kind: 'failed'; reason: string; isSent: boolean; isStale: boolean };

const times: PostTimes = { connectMs: 5_000, totalMs: 10_000 };
const ANSWER_BYTES_MAX = 64 * 1024;
const KEPT_BYTES_MAX = 2 * 1024;
const REASON_LENGTH_MAX = 300;
/** Most interim responses (1xx). Each is an event, so a flood of them would keep the event loop busy. */
const INTERIM_MAX = 10;
/**
 * Most bytes of the connection before the response is there, and in all: one-byte chunks make a body six times as long. node:http
 * bounds a header, but not what it skips: blank lines before one, and zeros before the size of a chunk.
 */
const RAW = { beforeAnswerMax: 64 * 1024, bytesMax: 1024 * 1024, lookMs: 100 };

/** Sends one POST to a target that passes the guard. Never throws. */
export function post(options: PostOptions): Promise<PostOutcome> {
  return ask({ ...options, method: 'POST', keptBytesMax: KEPT_BYTES_MAX });
}

/** Sends one GET in the same way. */
export function get(options: GetOptions): Promise<PostOutcome> {
  return ask({ ...options, method: 'GET', body: null });
}

/** Sends one HEAD in the same way. */
export function head(options: Omit<PostOptions, 'body'>): Promise<PostOutcome> {
  return ask({ ...options, method: 'HEAD', body: null, keptBytesMax: 0 });
}

/** Sends one request, and returns all headers and whether the body is whole: for a protocol over HTTP, such as ACME. */
export function call(options: CallOptions): Promise<PostOutcome> {
  return ask({ ...options, isCall: true });
}

async function ask(options: Ask): Promise<PostOutcome> {
  const started = performance.now();
  const limits = { ...times, ...options.timeouts };
  const stop = new AbortController();
  const giveUp = () => stop.abort('stopped');
  const timer = setTimeout(() => stop.abort(`no answer within ${limits.totalMs} ms`), limits.totalMs);
  options.signal?.addEventListener('abort', giveUp);
  if (options.signal?.aborted) giveUp();
  try {
    const outcome = await lookAndSend(options, limits.connectMs, stop.signal);
    return outcome.kind === 'refused'
      ? outcome
      : { ...outcome, durationMs: Math.round(performance.now() - started) };
  } catch (fault) {
    const reasons = [formatFault(fault)];
    return { kind: 'unreachable', reasons, durationMs: Math.round(performance.now() - started) };
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', giveUp);
  }
}

async function lookAndSend(
  options: Ask,
  connectMs: number,
  stop: AbortSignal,
): Promise<Answer | { kind: 'refused'; reasons: string[] } | { kind: 'unreachable'; reasons: string[] }> {
  const judged = await stopWith(resolveTarget(options.resolver, options.url, options.allow), stop);
  if (judged.kind !== 'target') return judged;
  const deadline = performance.now() + connectMs;
  const reasons: string[] = [];
  for (const address of judged.target.addresses) {
    const leftMs = deadline - performance.now();
    if (leftMs <= 0 || stop.aborted) break;
    const bounds = { leftMs, connectMs, stop };
    let attempt = await sendTo(judged.target, address, options, bounds);
    if (attempt.kind === 'failed' && attempt.isStale)
      attempt = await sendTo(judged.target, address, { ...options, kept: undefined }, bounds);
    if (attempt.kind === 'answered') return attempt;
    reasons.push(`${address.address}: ${attempt.reason}`);
    if (attempt.isSent) break;
  }
  return { kind: 'unreachable', reasons };
}

function stopWith<Value>(work: Promise<Value>, stop: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    if (stop.aborted) reject(stop.reason);
    stop.addEventListener('abort', () => reject(stop.reason));
    work.then(resolve, reject);
  });
}

/** Dials one address. Sends only once the connection is secure and known to reach that address. */
function sendTo(
  target: Target,
  address: Address,
  options: Ask,
  { leftMs, connectMs, stop }: { leftMs: number; connectMs: number; stop: AbortSignal },
): Promise<Attempt> {
  return new Promise((resolve) => {
    const request = makeRequest(target, address, options);
    let isSent = false;
    let hasEnded = false;
    let finish: (() => void) | null = null;
    let interim = 0;
    let look: Timer | undefined;
    const end = (attempt: Attempt, isReusable = false) => {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(timer);
      clearInterval(look);
      stop.removeEventListener('abort', onStop);
      resolve(attempt);
      // A reusable connection may already be in use by the next request.
      if (!isReusable || !options.kept) request.destroy();
    };
    // Once there is a status, that is the outcome, even if the rest is cut off or too slow.
    const fail = (reason: string, isStale = false) =>
      finish ? finish() : end({ kind: 'failed', reason, isSent, isStale });
    const onStop = () => fail(String(stop.reason));
    const what = target.isTls ? 'secure connection' : 'connection';
    const timer = setTimeout(() => fail(`no ${what} within ${connectMs} ms`), leftMs);
    stop.addEventListener('abort', onStop);
    request.on('error', (fault) => fail(formatFault(fault), request.reusedSocket));
    request.on('close', () => fail('the connection was closed without an answer', request.reusedSocket));
    request.on('socket', (socket) => {
      const send = () => {
        if (!isSameAddress(socket.remoteAddress, address.address))
          return fail('connected to a different address');
        clearTimeout(timer);
        isSent = true;
        const from = socket.bytesRead;
        const refuseLong = () =>
          socket.bytesRead - from > (finish ? RAW.bytesMax : RAW.beforeAnswerMax) &&
          fail('too many bytes before an answer');
        look = setInterval(refuseLong, RAW.lookMs);
        request.end(options.body ?? undefined);
      };
      if (request.reusedSocket) send();
      else socket.on(target.isTls ? 'secureConnect' : 'connect', send);
    });
    request.on('information', () => ++interim > INTERIM_MAX && fail('too many interim answers (1xx)'));
    request.on('response', (response) => {
      finish = readAnswer(response, options, end);
    });
  });
}

function makeRequest(target: Target, { address, family }: Address, options: Ask): ClientRequest {
  const { url, host, port, isTls } = target;
  const { kept } = options;
  // Bun passes `all: true`, other runtimes may not.
  const lookup: LookupFunction = (_name, { all }, give) =>
    all ? give(null, [{ address, family }]) : give(null, address, family);
  const common = {
    method: options.method,
    host,
    port,
    path: url.pathname + url.search,
    ...(kept ? kept.connections.optionsFor(target, { address, family }, kept.name) : { agent: false }),
    lookup,
    headers: {
      ...options.headers,
      host: url.host.replace(/\.(?=:|$)/, ''),
      ...(options.body === null ? {} : { 'content-length': String(options.body.length) }),
      connection: kept ? 'keep-alive' : 'close',
      'accept-encoding': 'identity',
    },
  };
  if (!isTls) return requestPlain(common);
  const tls: ConnectionOptions = {
    // SNI can't hold an address (RFC 6066 3). The certificate must name the address then.
    servername: isIP(host) === 0 ? host : '',
    rejectUnauthorized: true,
    secureContext: makeVerifyingContext(options.extraCa),
  };
  return requestSecure({ ...common, ...tls });
}

/** Reads a response up to its end or the bound. Returns a function that ends it early, with what has arrived by then. */
function readAnswer(
  response: IncomingMessage,
  { keptBytesMax, isCall }: Ask,
  end: (answer: Answer, isReusable: boolean) => void,
): () => void {
  const kept = Buffer.alloc(keptBytesMax);
  let size = 0;
  let isEnded = false;
  const finish = () => {
    const { headers } = response;
    const { location = null, 'retry-after': retryAfter = null } = headers;
    // `stream` leaves out a character that was cut in half.
    const body = new TextDecoder().decode(kept.subarray(0, size), { stream: true });
    const answer: Answer = { kind: 'answered', status: response.statusCode ?? 0, retryAfter, location, body };
    // Bun 1.4 reports an end even if the body is cut off; the response is not complete then.
    const isComplete = isEnded && response.complete;
    const isWhole = isComplete && size <= keptBytesMax;
    end(isCall ? { ...answer, call: { headers, isWhole } } : answer, isComplete);
  };
  response.on('end', () => {
    isEnded = true;
  });
  response.on('data', (piece: Buffer) => {
    if (size < keptBytesMax) piece.copy(kept, size);
    size += piece.length;
    if (size >= ANSWER_BYTES_MAX) finish();
  });
  for (const event of ['end', 'error', 'close']) response.on(event, finish);
  return finish;
}

function formatFault(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault);
  const code = readCode(fault);
  const text = nameNetworkFault(code) ?? [code, fault.message].filter((part) => part !== '').join(': ');
  return text.slice(0, REASON_LENGTH_MAX);
}
