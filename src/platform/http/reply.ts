import { Failure } from '../core/failure.ts';
import { newId } from '../core/id.ts';

/*
 * The responses of handlers, and the one place that turns a Failure into the error envelope of docs/api-v1.md. Anything else that
 * is thrown is a fault of ours: 500, one log line, and no details for the client.
 */

/** What a route's handler returns. */
export interface Answer {
  status: number;
  /** Sent as JSON if present. */
  json?: unknown;
  /** Sent as it is; `headers` must name the type. */
  bytes?: Uint8Array | ReadableStream<Uint8Array>;
  headers?: Readonly<Record<string, string>>;
  /** Whether a retry can't get it again unless it has an Idempotency-Key. If so, it is sent even without room in memory. */
  isOnly?: boolean;
}

/** Returns 200 `{data}`. `ok<View>(…)` has the compiler check the data against the promised type. */
export function ok<Data>(data: Data): Answer {
  return { status: 200, json: { data } };
}

/** Returns 201 `{data}`. `location` is the path of the new resource, without the base path. */
export function created(data: unknown, location: string): Answer {
  return { status: 201, json: { data }, headers: { location } };
}

/** Returns 204, without a body. */
export function nothing(): Answer {
  return { status: 204 };
}

/** Retry-After while the store can't be written, in seconds. */
const STORAGE_RETRY_S = 5;

/** The body of a response; null if it has none. */
export type Body = string | Uint8Array | ReadableStream<Uint8Array> | null;

/** Returns the body of an answer, with its JSON as text. */
export function writeBody({ json, bytes }: Answer): Body {
  return json === undefined ? (bytes ?? null) : JSON.stringify(json);
}

/**
 * Turns an Answer into a Response. `headers` are those of every response to this request. The base path is added to a path in
 * Location.
 */
export function respond(answer: Answer, body: Body, headers: Headers, base: string): Response {
  if (answer.json !== undefined) headers.set('content-type', 'application/json; charset=utf-8');
  for (const [name, value] of Object.entries(answer.headers ?? {})) headers.set(name, value);
  const location = base !== '' ? headers.get('location') : null;
  if (location?.startsWith('/')) headers.set('location', base + location);
  return new Response(body as Uint8Array<ArrayBuffer> | ReadableStream | string | null, {
    status: answer.status,
    headers,
  });
}

/** Returns the answer to a failure: `{error: {code, message, fields, request_id}}`, and the headers that its code needs. */
export function refuse(failure: Failure, requestId: string): Answer {
  const headers: Record<string, string> = {};
  const retryAfter = formatRetryAfter(failure);
  if (retryAfter !== undefined) headers['retry-after'] = retryAfter;
  if (failure.status === 401) headers['www-authenticate'] = 'Bearer';
  const { code, message, fields } = failure;
  return {
    status: failure.status,
    json: { error: { code, message, fields, request_id: requestId } },
    headers,
  };
}

/** Returns the value of Retry-After for a failure that passes, in seconds. */
export function formatRetryAfter({ code, retryAfterS }: Failure): string | undefined {
  const seconds = code === 'storage_unavailable' ? STORAGE_RETRY_S : retryAfterS;
  return seconds === undefined ? undefined : String(Math.max(1, Math.ceil(seconds)));
}

/** Turns anything that was thrown into a failure that a client may see. */
export function toFailure(thrown: unknown): Failure {
  return thrown instanceof Failure ? thrown : new Failure('server_error');
}

/** Retry-After for a connection above the bound, in seconds. */
const CROWD_RETRY_S = 5;

export function refuseCrowd(): Failure {
  return new Failure('too_many_connections', { retryAfterS: CROWD_RETRY_S });
}

/** Returns the same refusal as the bytes of a response, for a connection without a request. */
export function writeLastWords(): Uint8Array {
  const requestId = newId('request');
  const { status, json, headers } = refuse(refuseCrowd(), requestId);
  const body = JSON.stringify(json);
  const lines = [
    `HTTP/1.1 ${status} Service Unavailable`,
    ...Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    `x-request-id: ${requestId}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
