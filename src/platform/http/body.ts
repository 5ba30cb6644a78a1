import type { z } from 'zod';
import { type FieldReasons, fail, failField } from '../core/failure.ts';
import { nextTurn } from '../core/next-turn.ts';
import type { FormSpec, Route } from './route.ts';

/** Longest time for a body: bounds how long a client that sends slowly holds a connection. */
const BODY_TIME_MAX_MS = 30_000;
/** Longest time for a body above `bodyBytesMax`: 36 MiB at 2 Mbit/s. */
const LARGE_BODY_TIME_MAX_MS = 150_000;

/** Room for the rest of a form around its file: boundaries, headers and the other fields. */
const FORM_FRAME_BYTES_MAX = 8 * 1024;

/** A body as received, and the schema it must match. */
export interface GivenBody {
  value: unknown;
  schema: z.ZodType;
}

/**
 * Reads the route's body within its bound. Refuses, in this order, with 415, 413 and 422. Null if the route has no body.
 * `takeRoom` is called when `bodyBytesMax` is exceeded, before any more is read.
 */
export async function readBody(
  route: Route,
  request: Request,
  takeRoom: () => Promise<void>,
): Promise<GivenBody | null> {
  const { body: schema, form } = route;
  if (!schema) return null;
  const length = request.headers.get('content-length');
  const chunked = request.headers.has('transfer-encoding');
  const empty = !chunked && (length === null || /^0+$/.test(length));
  if (empty && route.bodyOptional) return { schema, value: {} };
  if (form && isForm(request.headers)) return { schema: form.schema, value: await readForm(form, request) };
  const bytesMax = route.bodyStringsBytesMax ?? route.bodyBytesMax;
  const bound: BodyBound = {
    bytesMax,
    refuse: () => refuseTooLarge(bytesMax),
    large: { aboveBytes: route.bodyBytesMax, takeRoom },
  };
  if (!isJson(request.headers)) {
    const isNone = empty
      ? !request.headers.has('content-type')
      : chunked && route.bodyOptional && (await readBytes(request, bound)).length === 0;
    if (!isNone) fail('unsupported_media_type');
    return readNone(route, schema);
  }
  const bytes = empty ? new Uint8Array() : await readBytes(request, bound);
  if (bytes.length > route.bodyBytesMax && !isMostlyStrings(bytes, route.bodyBytesMax))
    refuseTooLarge(route.bodyBytesMax);
  if (bytes.length === 0) return readNone(route, schema);
  const pause = bytes.length > route.bodyBytesMax ? nextTurn : null;
  return { schema, value: await parseJson(bytes, pause) };
}

/** Returns the body as its schema parses it, or throws 422 with every fault. */
export function checkBody({ value, schema }: GivenBody): unknown {
  const result = schema.safeParse(value, { error: describeIssue });
  if (result.success) return result.data;
  return fail('validation_error', { fields: groupReasons(result.error.issues) });
}

/** Words for faults for which the schema has none of its own. */
function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'unrecognized_keys') return nameUnknown(issue.keys);
  if (issue.code !== 'invalid_type') return undefined;
  if (issue.expected === 'object') return 'must be a JSON object';
  return issue.expected === 'array' ? 'must be an array' : undefined;
}

function readNone(route: Route, schema: z.ZodType): GivenBody {
  return route.bodyOptional ? { schema, value: {} } : failField('body', 'is required');
}

/** Reads multipart/form-data (RFC 7578). Returns its fields by name; a file is a File. */
async function readForm({ bytesMax, tooLarge }: FormSpec<z.ZodType>, request: Request): Promise<unknown> {
  const refuse = () => fail(tooLarge, { fields: { file: [`has more than ${bytesMax} bytes`] } });
  const bytes = await readBytes(request, { bytesMax: bytesMax + FORM_FRAME_BYTES_MAX, refuse });
  const headers = { 'content-type': request.headers.get('content-type') ?? '' };
  const form = await new Response(bytes as Uint8Array<ArrayBuffer>, { headers })
    .formData()
    .catch(() => failField('body', 'is not valid multipart/form-data'));
  const fields: Record<string, unknown> = Object.create(null);
  for (const [name, value] of form.entries()) {
    if (name in fields) failField(name, 'must appear once');
    if (typeof value !== 'string' && value.size > bytesMax) refuse();
    fields[name] = value;
  }
  return fields;
}

function isForm(headers: Headers): boolean {
  const type = headers.get('content-type') ?? '';
  return /^multipart\/form-data\s*(;|$)/i.test(type) && isPlain(headers);
}

function isPlain(headers: Headers): boolean {
  return (headers.get('content-encoding')?.trim().toLowerCase() || 'identity') === 'identity';
}

function isJson(headers: Headers): boolean {
  const [media = '', ...parameters] = (headers.get('content-type') ?? '').toLowerCase().split(';');
  const charset = parameters.map((part) => part.trim()).find((part) => part.startsWith('charset='));
  return (
    /^application\/([^/]+\+)?json$/.test(media.trim()) &&
    (charset === undefined || /^charset="?(utf-8|us-ascii)"?$/.test(charset)) &&
    isPlain(headers)
  );
}

export interface BodyBound {
  bytesMax: number;
  /** Throws for a body of more than `bytesMax`. */
  refuse: () => never;
  /** A body above this size needs room; it also has more time. */
  large?: { aboveBytes: number; takeRoom: () => Promise<void> };
}

/**
 * Reads the whole body. Refuses one that is too large by its Content-Length, or while reading it, because a chunked body has none.
 */
export async function readBytes(
  request: Request,
  { bytesMax, refuse, large }: BodyBound,
): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length')) > bytesMax) refuse();
  if (!request.body) return new Uint8Array();
  const reader = request.body.getReader();
  const late = Promise.withResolvers<'late'>();
  const endIn = (ms: number) => setTimeout(() => late.resolve('late'), ms);
  let timer = endIn(BODY_TIME_MAX_MS);
  let isLarge = false;
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const step = await Promise.race([reader.read(), late.promise]);
      if (step === 'late') return fail('request_timeout');
      if (step.done) return Buffer.concat(pieces, size);
      size += step.value.length;
      if (size > bytesMax) refuse();
      pieces.push(step.value);
      if (!large || isLarge || size <= large.aboveBytes) continue;
      isLarge = true;
      clearTimeout(timer);
      await large.takeRoom();
      timer = endIn(LARGE_BODY_TIME_MAX_MS);
    }
  } finally {
    clearTimeout(timer);
    // Drops the rest of a refused body. It does not matter if there is no rest, and this fails.
    reader.cancel().catch(() => {});
  }
}

function refuseTooLarge(bytesMax: number): never {
  fail('payload_too_large', { fields: { body: [`has more than ${bytesMax} bytes`] } });
}

/** Strings up to this length count like anything else. */
const LONG_STRING_BYTES = 1024;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Whether a JSON text has at most `bytesMax` bytes outside of long strings. If so, it parses into no more values than a body of
 * `bytesMax`, however large it is.
 */
function isMostlyStrings(bytes: Uint8Array, bytesMax: number): boolean {
  let outside = 0;
  let at = 0;
  while (outside <= bytesMax) {
    const begin = bytes.indexOf(QUOTE, at);
    if (begin < 0) return outside + bytes.length - at <= bytesMax;
    let end = begin;
    do {
      end = bytes.indexOf(QUOTE, end + 1);
      if (end < 0) return false;
    } while (isEscaped(bytes, end));
    outside += begin - at;
    if (end - begin <= LONG_STRING_BYTES) outside += end - begin + 1;
    at = end + 1;
  }
  return false;
}

function isEscaped(bytes: Uint8Array, quoteAt: number): boolean {
  let first = quoteAt;
  while (bytes[first - 1] === BACKSLASH) first -= 1;
  return (quoteAt - first) % 2 === 1;
}

/** Greatest nesting depth of a body. Many JSON parsers can't read a deeper one, so it must not be stored and returned. */
const LEVELS_MAX = 100;

/** Parses a body. Each step takes up to 50 ms with a large one, so `pause` lets other requests run in between. */
async function parseJson(bytes: Uint8Array, pause: (() => Promise<void>) | null): Promise<unknown> {
  let value: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    await pause?.();
    value = readJson(text);
  } catch {
    return failField('body', 'is not valid JSON in UTF-8');
  }
  await pause?.();
  const fault = findUnstorable(value);
  return fault === null ? value : failField(fault.field, fault.reason);
}

/** Only a number that matches this can be an integer that JavaScript changes. */
const MANY_DIGITS = /[\d.]{16}/;

/** Marks an integer that a JavaScript number can't hold: it would be returned changed. */
class InexactInteger {}

/** Parses JSON, with an InexactInteger for each of those. Only the source text shows them (TC39, JSON.parse source text access). */
function readJson(text: string): unknown {
  if (!MANY_DIGITS.test(text)) return JSON.parse(text);
  const parse = JSON.parse as (text: string, revive: Revive) => unknown;
  return parse(text, (_, value, { source }) => {
    const isChanged = typeof value === 'number' && source !== undefined && isInexact(source, value);
    return isChanged ? new InexactInteger() : value;
  });
}

/** Whether parsing has changed a number, even one with a fraction or exponent (9007199254740993.0). 1e20 keeps its digits. */
function isInexact(source: string, value: number): boolean {
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return false;
  return /^-?\d+$/.test(source) || readSignificantDigits(source) !== readSignificantDigits(String(value));
}

/** Returns the digits without zeros at both ends. Not by /0+$/, which takes quadratic time on zeros that other digits follow. */
function readSignificantDigits(number: string): string {
  const [written = ''] = number.toLowerCase().split('e');
  const digits = written.replaceAll(/[-.]/g, '').replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

/** `source` is present for primitive values. */
type Revive = (key: string, value: unknown, context: { source?: string }) => unknown;

/** Finds a value that is valid JSON, but that no response could return unchanged. Null if there is none. */
function findUnstorable(body: unknown): { field: string; reason: string } | null {
  const whole = (reason: string) => ({ field: 'body', reason });
  const left: { value: unknown; level: number; field: string }[] = [{ value: body, level: 0, field: 'body' }];
  for (let next = left.pop(); next; next = left.pop()) {
    const { value, level, field } = next;
    if (typeof value === 'string' && !value.isWellFormed())
      return whole('has text that is not well-formed Unicode');
    if (typeof value === 'number' && !Number.isFinite(value)) return whole('has a number that is too large');
    if (value instanceof InexactInteger) return { field, reason: INEXACT };
    if (typeof value !== 'object' || value === null) continue;
    if (level >= LEVELS_MAX) return whole(`is nested more than ${LEVELS_MAX} levels deep`);
    if (Array.isArray(value)) {
      for (const inner of value) left.push({ value: inner, level: level + 1, field });
      continue;
    }
    // In reverse, because the stack is read from its end, so that the first faulty field is named.
    for (const [key, inner] of Object.entries(value).reverse()) {
      left.push(
        { value: inner, level: level + 1, field: level === 0 ? key : field },
        { value: key, level, field },
      );
    }
  }
  return null;
}

const INEXACT = 'has an integer beyond 9007199254740991, which JSON readers change; send it as a string';

/** Returns the reason of an issue, with the entry of a list that it is about. */
function nameEntry(issue: z.core.$ZodIssue): string {
  const {
    path: [, entry, field],
    message,
  } = issue;
  if (typeof entry !== 'number') return message;
  const about = `entry ${entry + 1}`;
  // Not the message: a schema with its own words has one about its type.
  if (issue.code === 'unrecognized_keys') return `${about} ${nameUnknown(issue.keys)}`;
  return field === undefined ? message : `${about}: ${String(field)} ${message}`;
}

/** Most unknown keys to name: each makes the response longer than the request. */
const KEYS_NAMED = 50;

const nameUnknown = (keys: readonly string[]) =>
  `has unknown fields: ${keys.slice(0, KEYS_NAMED).join(', ')}`;

/** Groups reasons by top-level field. Those about the whole body are under `body`. */
function groupReasons(issues: readonly z.core.$ZodIssue[]): FieldReasons {
  // No prototype, so that a field named `__proto__` is an ordinary field.
  const fields: FieldReasons = Object.create(null);
  const add = (field: string, reason: string) => {
    fields[field] = [...new Set([...(fields[field] ?? []), reason])];
  };
  for (const issue of issues) {
    if (issue.code === 'unrecognized_keys' && issue.path.length === 0) {
      for (const key of issue.keys.slice(0, KEYS_NAMED)) add(key, 'is not a known field');
      const more = issue.keys.length - KEYS_NAMED;
      if (more > 0) add('body', `has more unknown fields: ${more}`);
    } else add(String(issue.path[0] ?? 'body'), nameEntry(issue));
  }
  return fields;
}
