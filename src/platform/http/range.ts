import { Failure } from '../core/failure.ts';
import { hasCurrent } from './etag.ts';
import { type Answer, refuse } from './reply.ts';

/*
 * Byte ranges (RFC 9110, section 14), so that an interrupted download can be resumed. One range is answered 206. Several ranges, or
 * a malformed header, get the whole, as the RFC allows.
 */

/** A body that can be served whole or in part. */
export interface Whole {
  size: number;
  /** A strong ETag: it changes with every byte. */
  etag: string;
  headers: Readonly<Record<string, string>>;
  /** Returns the bytes from `from` up to but excluding `to`. */
  read(from: number, to: number): ReadableStream<Uint8Array> | Uint8Array;
}

interface Span {
  from: number;
  to: number;
}

export function answerRange(request: Request, requestId: string, whole: Whole): Answer {
  const { size, etag } = whole;
  const headers = { ...whole.headers, etag, 'accept-ranges': 'bytes' };
  // Checked before the range (RFC 9110, 13.2.2). A browser replaces its stored headers with those of a 304, so all are sent.
  if (hasCurrent(request, [etag])) return { status: 304, headers };
  const span = readRange(request, etag, size);
  if (span === null) return { status: 200, bytes: whole.read(0, size), headers };
  if (span.from >= span.to) {
    const { status, json } = refuse(new Failure('range_not_satisfiable'), requestId);
    return { status, json, headers: { 'content-range': `bytes */${size}` } };
  }
  const { from, to } = span;
  return {
    status: 206,
    bytes: whole.read(from, to),
    headers: { ...headers, 'content-range': `bytes ${from}-${to - 1}/${size}` },
  };
}

/** Reads the range. Null for the whole; an empty span if the range is beyond the end. */
function readRange({ method, headers }: Request, etag: string, size: number): Span | null {
  const text = headers.get('range');
  if (text === null || method !== 'GET') return null;
  // If-Range may also be a date. None is ever sent, so a date never matches.
  const condition = headers.get('if-range');
  if (condition !== null && condition !== etag) return null;
  const [, first, last] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(text) ?? [];
  if (first === undefined || last === undefined || first + last === '') return null;
  if (first === '') return { from: Math.max(0, size - Number(last)), to: size };
  if (last !== '' && Number(last) < Number(first)) return null;
  return { from: Number(first), to: last === '' ? size : Math.min(size, Number(last) + 1) };
}
