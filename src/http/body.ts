import type { z } from 'zod';
import { type FieldReasons, fail, failField } from '../core/failure.ts';
import type { Route } from './route.ts';

/** A body that drips in for longer holds a connection for nothing. */
const BODY_TIME_MAX_MS = 30_000;

/** The route's body, read within its bound and checked: 415, 413, 422 in this order. */
export async function readBody(route: Route, request: Request): Promise<unknown> {
  if (!route.body) return undefined;
  const length = request.headers.get('content-length');
  const chunked = request.headers.has('transfer-encoding');
  const empty = !chunked && (length === null || /^0+$/.test(length));
  if (empty && route.body_optional) return check(route.body, {});
  if (!isJson(request.headers)) {
    const is_none = empty
      ? !request.headers.has('content-type')
      : await isEmptyAfterAll(route, request, chunked);
    if (!is_none) fail('unsupported_media_type');
    return none(route, route.body);
  }
  if (length !== null && Number(length) > route.body_bytes_max) tooLarge(route);
  const bytes = empty ? new Uint8Array() : await readBytes(route, request);
  return bytes.length > 0 ? check(route.body, parseJson(bytes)) : none(route, route.body);
}

function none(route: Route, schema: z.ZodType): unknown {
  return route.body_optional ? check(schema, {}) : failField('body', 'is required');
}

/** A body in chunks announces no length: only reading tells that it is none. */
async function isEmptyAfterAll(route: Route, request: Request, chunked: boolean): Promise<boolean> {
  return chunked && route.body_optional && (await readBytes(route, request)).length === 0;
}

function isJson(headers: Headers): boolean {
  const [media = '', ...parameters] = (headers.get('content-type') ?? '').toLowerCase().split(';');
  const charset = parameters.map((part) => part.trim()).find((part) => part.startsWith('charset='));
  const coding = headers.get('content-encoding')?.trim().toLowerCase() || 'identity';
  return (
    /^application\/([^/]+\+)?json$/.test(media.trim()) &&
    (charset === undefined || /^charset="?(utf-8|us-ascii)"?$/.test(charset)) &&
    coding === 'identity'
  );
}

/** Counts while reading, because a chunked body announces no length. */
async function readBytes(route: Route, request: Request): Promise<Uint8Array> {
  if (!request.body) return new Uint8Array();
  const reader = request.body.getReader();
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => late.resolve('late'), BODY_TIME_MAX_MS);
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const step = await Promise.race([reader.read(), late.promise]);
      if (step === 'late') return fail('request_timeout');
      if (step.done) return Buffer.concat(pieces, size);
      size += step.value.length;
      if (size > route.body_bytes_max) tooLarge(route);
      pieces.push(step.value);
    }
  } finally {
    clearTimeout(timer);
    // What is left of a refused body is dropped; that it may already be gone is no matter.
    reader.cancel().catch(() => {});
  }
}

function tooLarge(route: Route): never {
  fail('payload_too_large', { fields: { body: [`has more than ${route.body_bytes_max} bytes`] } });
}

/** Levels of a body; a deeper one would be given back to readers that can't read it. */
const LEVELS_MAX = 100;

function parseJson(bytes: Uint8Array): unknown {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return failField('body', 'is not valid JSON in UTF-8');
  }
  const fault = unstorable(value);
  return fault === null ? value : failField('body', fault);
}

/** What JSON can write and no answer could give back the same; null when there is none. */
function unstorable(body: unknown): string | null {
  const left: { value: unknown; level: number }[] = [{ value: body, level: 0 }];
  for (let next = left.pop(); next; next = left.pop()) {
    const { value, level } = next;
    if (typeof value === 'string' && !value.isWellFormed()) return 'has text that is not well-formed Unicode';
    if (typeof value === 'number' && !Number.isFinite(value)) return 'has a number that is too large';
    if (typeof value !== 'object' || value === null) continue;
    if (level >= LEVELS_MAX) return `is nested more than ${LEVELS_MAX} levels deep`;
    for (const [key, inner] of Object.entries(value)) {
      left.push({ value: key, level }, { value: inner, level: level + 1 });
    }
  }
  return null;
}

function check(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  return fail('validation_error', { fields: fieldsOf(result.error.issues) });
}

/** Reasons by top-level field; what concerns the whole stands under `body`. */
function fieldsOf(issues: readonly z.core.$ZodIssue[]): FieldReasons {
  // Without a prototype, so that a field named `__proto__` is a field.
  const fields: FieldReasons = Object.create(null);
  const add = (field: string, reason: string) => {
    fields[field] = [...new Set([...(fields[field] ?? []), reason])];
  };
  for (const issue of issues) {
    if (issue.code === 'unrecognized_keys' && issue.path.length === 0) {
      for (const key of issue.keys) add(key, 'is not accepted here');
    } else add(String(issue.path[0] ?? 'body'), issue.message);
  }
  return fields;
}
