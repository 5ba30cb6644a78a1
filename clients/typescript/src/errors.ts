import { errorTable } from './error-table.js';

/** A code of the API or of this client. The API may add codes: go by the status of one that you don't know. */
export type ErrorCode = keyof typeof errorTable.codes | (string & {});

type Kind = Exclude<keyof typeof errorTable.kinds, 'aborted'>;

export interface ErrorDetails {
  code: ErrorCode;
  /** What happened, in one sentence. */
  text: string;
  /** The URL that the advice names. */
  url?: string;
  status?: number | null;
  requestId?: string | null;
  fields?: Record<string, string[]>;
  retryAfterMs?: number | null;
  arrived?: number;
  reason?: string;
  cause?: unknown;
}

/** The base of all errors of this client, except the reason of an AbortSignal. `message` ends with the advice. */
export class PosternError extends Error {
  override readonly name: string = 'PosternError';
  /** Match on this: the text of a message may change. */
  readonly code: ErrorCode;
  /** HTTP status; null when there was no response. */
  readonly status: number | null;
  /** The request's id in the server's log. */
  readonly requestId: string | null;
  /** Maps the name of a field or parameter to what is wrong with it. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** What to do, in one or two sentences. */
  readonly advice: string;
  /** When to try again, in milliseconds; null if the server did not say. */
  readonly retryAfterMs: number | null;

  constructor(details: ErrorDetails) {
    const advice = writeAdvice(details);
    super(`${details.text} ${advice}`, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code;
    this.status = details.status ?? null;
    this.requestId = details.requestId ?? null;
    this.fields = details.fields ?? {};
    this.advice = advice;
    this.retryAfterMs = details.retryAfterMs ?? null;
  }
}

/** The key is missing, wrong or revoked. */
export class AuthenticationError extends PosternError {
  override readonly name = 'AuthenticationError';
}

/** This account, key or plan may not do that. */
export class PermissionError extends PosternError {
  override readonly name = 'PermissionError';
}

/** It does not exist, or belongs to another account. */
export class NotFoundError extends PosternError {
  override readonly name = 'NotFoundError';
}

/** The request conflicts with the current state. */
export class ConflictError extends PosternError {
  override readonly name = 'ConflictError';
}

/** The request is wrong; `fields` says where. */
export class ValidationError extends PosternError {
  override readonly name = 'ValidationError';
}

/** Too many requests, or no free slot for a wait. */
export class RateLimitError extends PosternError {
  override readonly name = 'RateLimitError';
}

/** The server failed. */
export class ServerError extends PosternError {
  override readonly name = 'ServerError';
}

/** There was no answer: `unreachable`, or `connection_lost` if the request may have been carried out. */
export class ConnectionError extends PosternError {
  override readonly name = 'ConnectionError';
}

/** Something other than Postern answered, such as a proxy. */
export class NotPosternError extends PosternError {
  override readonly name = 'NotPosternError';
}

/** No matching message arrived in time. */
export class WaitTimeoutError extends PosternError {
  override readonly name = 'WaitTimeoutError';
  /** How many messages arrived without matching. */
  readonly arrived: number;
  /** Why the closest of them did not match, or `no_message`. */
  readonly reason: string;

  constructor(details: ErrorDetails) {
    super(details);
    this.arrived = details.arrived ?? 0;
    this.reason = details.reason ?? 'no_message';
  }
}

/** A webhook request is not from Postern, or is too old. */
export class SignatureError extends PosternError {
  override readonly name = 'SignatureError';
}

/** A server for tests could not be started. */
export class StartError extends PosternError {
  override readonly name = 'StartError';
}

const classes: Record<Kind, new (details: ErrorDetails) => PosternError> = {
  authentication: AuthenticationError,
  permission: PermissionError,
  not_found: NotFoundError,
  conflict: ConflictError,
  validation: ValidationError,
  rate_limit: RateLimitError,
  server: ServerError,
  connection: ConnectionError,
  not_postern: NotPosternError,
  wait_timeout: WaitTimeoutError,
  signature: SignatureError,
  start: StartError,
};

/** Creates the error for a code, with its class and its advice. */
export function makeError(details: ErrorDetails): PosternError {
  return new classes[findRow(details.code)?.kind ?? kindOfStatus(details.status ?? 0)](details);
}

/** Throws the error for a wrong argument, before anything is sent. */
export function refuseArgument(field: string, reason: string): never {
  throw makeError({ code: 'validation_error', text: `${field} ${reason}.`, fields: { [field]: [reason] } });
}

function findRow(code: string): { kind: Kind; advice: string } | undefined {
  const rows: Record<string, { kind: Kind; advice: string }> = errorTable.codes;
  return Object.hasOwn(rows, code) ? rows[code] : undefined;
}

const kindsOfStatus: Record<number, Kind> = {
  401: 'authentication',
  402: 'permission',
  403: 'permission',
  404: 'not_found',
  409: 'conflict',
  429: 'rate_limit',
};

function kindOfStatus(status: number): Kind {
  return kindsOfStatus[status] ?? (status >= 500 ? 'server' : 'validation');
}

function writeAdvice(details: ErrorDetails): string {
  const advice =
    findRow(details.code)?.advice ?? 'The server is newer than this client; update the client to learn more.';
  const values: Record<string, string> = {
    url: details.url ?? 'the server',
    retry_after_s: String(Math.ceil((details.retryAfterMs ?? 0) / 1000)),
    arrived_text: describeArrived(details.arrived ?? 0, details.reason ?? ''),
  };
  return advice.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

function describeArrived(arrived: number, reason: string): string {
  const { none, one, many } = errorTable.arrived_text;
  const reasons: Record<string, string> = errorTable.reasons;
  const template = arrived === 0 ? none : arrived === 1 ? one : many;
  return template
    .replace('{arrived}', String(arrived))
    .replace('{reason_text}', reasons[reason] ?? 'none matches');
}
