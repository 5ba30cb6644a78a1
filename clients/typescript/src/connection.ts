/** Requests to one server: their headers, what their failures mean, and which are repeated. */
import { makeError, PosternError, refuseArgument } from './errors.js';
import { Deadline, pause, pauseBefore, RETRIES_MAX } from './pause.js';

export interface PosternOptions {
  /** The URL of the server, which may have a path. By default `POSTERN_URL`, or else `http://127.0.0.1:8025`. */
  url?: string;
  /** By default `POSTERN_API_KEY`. Null sends no key, which a trap on this machine accepts. */
  apiKey?: string | null;
  /** Used instead of the global `fetch`. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

export type Query = Record<string, string | number | boolean | null | undefined>;

export interface CallOptions {
  signal?: AbortSignal;
}

export interface Call extends CallOptions {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below /api/v1, encoded. */
  path: string;
  query?: Query;
  /** Sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Sent as `Idempotency-Key`, so that the request may be repeated. */
  key?: string;
  timeoutMs?: number;
}

/** Time limit of one request. The longest in the API, a batch verification, takes up to 60 s. */
const TIMEOUT_MS = 75_000;
/** A longer `Retry-After` is left to the caller. */
const RETRY_AFTER_MS_MAX = 30_000;
const LIMITED_RETRIES_MAX = 3;
/** Answers of a server or proxy that is restarting. */
const BUSY: readonly number[] = [502, 503, 504];

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

export class Connection {
  readonly url: string;
  /** Whether this server ever answered. If not, the URL may be wrong. */
  hasAnswered = false;
  private readonly key: string | null;
  private readonly fetch: NonNullable<PosternOptions['fetch']>;

  constructor(options: PosternOptions) {
    this.url = readUrl(options.url ?? readEnvironment('POSTERN_URL') ?? 'http://127.0.0.1:8025');
    this.key = readKey(options.apiKey === undefined ? readEnvironment('POSTERN_API_KEY') : options.apiKey);
    // Looked up late, because test tools replace the global one. Bun's would use HTTP_PROXY even for this machine.
    const onBun = 'Bun' in globalThis && LOOPBACK.test(new URL(this.url).hostname) ? { proxy: false } : {};
    this.fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, { ...init, ...onBun }));
  }

  /** Returns the `data` of the answer. */
  async data<Data>(call: Call): Promise<Data> {
    return (await this.object<{ data: Data }>(call)).data;
  }

  /** Returns the whole answer, which has `data`. */
  object<Body extends { data: unknown }>(call: Call): Promise<Body> {
    return this.ask(call, async (response) => this.requireData(await response.text(), response) as Body);
  }

  /** For answers without a body. */
  nothing(call: Call): Promise<void> {
    return this.ask(call, async (response) => {
      await response.arrayBuffer();
      if (response.status !== 204) throw this.notPostern(response);
    });
  }

  bytes(call: Call): Promise<Uint8Array> {
    return this.ask(call, async (response) => {
      // The bytes may be of any type, so only this header shows that Postern sent them.
      if (!response.headers.has('x-request-id')) throw this.notPostern(response);
      return new Uint8Array(await response.arrayBuffer());
    });
  }

  /** Sends a request, and repeats it where that is safe, with the pauses of clients/contract/README.md. */
  async ask<Result>(call: Call, read: (response: Response) => Promise<Result>): Promise<Result> {
    for (let retry = 0, limited = 0; ; retry++) {
      try {
        return await this.askOnce(call, read);
      } catch (fault) {
        if (!(fault instanceof PosternError)) throw fault;
        const isLimited = fault.status === 429;
        const pauseMs = Math.max(fault.retryAfterMs ?? 0, isLimited ? 0 : pauseBefore(retry));
        const isLast = isLimited ? ++limited > LIMITED_RETRIES_MAX : retry - limited >= RETRIES_MAX;
        if (isLast || pauseMs > RETRY_AFTER_MS_MAX || !isRepeatable(fault, call)) throw fault;
        await pause(pauseMs, call.signal);
      }
    }
  }

  /** Sends one request. Throws a PosternError for an answer that is not 2xx, or the reason of the caller's signal. */
  async askOnce<Result>(call: Call, read: (response: Response) => Promise<Result>): Promise<Result> {
    call.signal?.throwIfAborted();
    const deadline = new Deadline(call.timeoutMs ?? TIMEOUT_MS, call.signal);
    try {
      const response = await this.open(call, deadline.signal);
      this.hasAnswered = true;
      if (!response.ok) throw await this.readRefusal(response);
      return await read(response);
    } catch (fault) {
      const meaning = this.explain(fault, deadline);
      // An answer that is not read to its end would keep its connection.
      deadline.abort();
      throw meaning;
    } finally {
      deadline.end();
    }
  }

  /** Sends the request and returns the answer unchecked. */
  open(call: Call, signal: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = { accept: 'application/json', ...call.headers };
    if (this.key !== null) headers.authorization = `Bearer ${this.key}`;
    if (call.key !== undefined) headers['idempotency-key'] = call.key;
    if (call.body !== undefined) headers['content-type'] = 'application/json';
    return this.fetch(`${this.url}/api/v1${call.path}${formatQuery(call.query)}`, {
      method: call.method,
      headers,
      body: call.body === undefined ? null : JSON.stringify(call.body),
      signal,
      // A redirect would send the key to another server.
      redirect: 'manual',
      credentials: 'omit',
      cache: 'no-store',
    });
  }

  /** Returns the error for a failed request. A PosternError passes through. */
  explain(fault: unknown, deadline: Deadline): unknown {
    if (deadline.isCancelled) return deadline.signal.reason;
    if (fault instanceof PosternError) return fault;
    const reason = describeFault(fault);
    const isRefused = NEVER_SENT.test(reason) || (!this.hasAnswered && !CUT.test(reason));
    const code = isRefused ? 'unreachable' : 'connection_lost';
    const text = isRefused ? `No connection (${reason}).` : `The connection broke (${reason}).`;
    return makeError({ code, text, url: this.url, cause: fault });
  }

  /** Returns the error for an answer that is not 2xx. */
  async readRefusal(response: Response): Promise<PosternError> {
    const text = await response.text();
    const retryAfterMs = readRetryAfter(response.headers.get('retry-after'));
    const refusal = parse(text)?.error;
    if (typeof refusal !== 'object' || refusal === null || typeof refusal.code !== 'string') {
      return this.notPostern(response, retryAfterMs);
    }
    return makeError({
      code: refusal.code,
      text: typeof refusal.message === 'string' ? refusal.message : `The server answered ${response.status}.`,
      url: this.url,
      status: response.status,
      requestId: refusal.request_id ?? response.headers.get('x-request-id'),
      fields: typeof refusal.fields === 'object' ? (refusal.fields ?? {}) : {},
      retryAfterMs,
    });
  }

  notPostern(response: Response, retryAfterMs: number | null = null): PosternError {
    const type = response.headers.get('content-type') ?? 'no content type';
    return makeError({
      code: 'not_postern',
      text: `The answer is not one of Postern's: status ${response.status}, ${type}.`,
      url: this.url,
      status: response.status,
      requestId: response.headers.get('x-request-id'),
      retryAfterMs,
    });
  }

  private requireData(text: string, response: Response): object {
    const body = parse(text);
    if (body === null || !('data' in body)) throw this.notPostern(response);
    return body;
  }
}

/** Returns a path that contains a name given by the caller. */
export function encodeName(field: string, name: string): string {
  if (typeof name !== 'string' || name === '') refuseArgument(field, 'must not be empty');
  // Either would lead to another path.
  if (name === '.' || name === '..') refuseArgument(field, 'names nothing');
  return encodeURIComponent(name);
}

/** Whether a repeated request may help and can't do anything twice. */
function isRepeatable({ status, code }: PosternError, { method, key }: Call): boolean {
  // Neither was carried out.
  if (status === 429 || code === 'unreachable') return true;
  const isTransient = code === 'connection_lost' || BUSY.includes(status ?? 0);
  return isTransient && (method === 'GET' || method === 'HEAD' || key !== undefined);
}

/** Whether a wait or a stream continues after this failure. */
export function isPassing({ status, code }: PosternError): boolean {
  return status === 429 || code === 'unreachable' || code === 'connection_lost' || BUSY.includes(status ?? 0);
}

/** Nothing was sent: no address, no connection, no TLS. The names are those of Node, Bun and Deno. */
const NEVER_SENT =
  /ECONNREFUSED|ConnectionRefused|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|FailedToOpenSocket|dns error|Connection refused|CERT|certificate|ERR_TLS|ERR_SSL/i;
const CUT =
  /ECONNRESET|EPIPE|UND_ERR_SOCKET|ConnectionClosed|other side closed|terminated|closed|no answer in time/i;

function describeFault(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault);
  const { cause } = fault as { cause?: unknown };
  const { code } = fault as { code?: unknown };
  const own = typeof code === 'string' ? `${code}: ${fault.message}` : fault.message;
  return cause instanceof Error ? describeFault(cause) || own : own;
}

function readUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const isUsable = parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.username === '';
  if (!isUsable) throw makeError({ code: 'invalid_url', text: `${url} is not a URL of a server.` });
  parsed.hash = '';
  parsed.search = '';
  return parsed.href.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
}

function readKey(key: string | null | undefined): string | null {
  if (key === undefined || key === null || key === '') return null;
  // The key is a secret, so the text does not repeat it.
  if (!/^[\x21-\x7e]+$/.test(key)) refuseArgument('apiKey', 'has blanks or other characters that no key has');
  return key;
}

/** Reads an environment variable: undefined in browsers, and in Deno without the permission. */
function readEnvironment(name: string): string | undefined {
  try {
    return globalThis.process?.env[name] || undefined;
  } catch {
    return undefined;
  }
}

function formatQuery(query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) params.set(name, String(value));
  }
  return params.size === 0 ? '' : `?${params}`;
}

/** Parses `Retry-After`, in seconds or as a date (RFC 9110, 10.2.3). */
function readRetryAfter(text: string | null): number | null {
  if (text === null) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

// biome-ignore lint/suspicious/noExplicitAny: a server may send anything; the caller checks each field.
function parse(text: string): any {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
