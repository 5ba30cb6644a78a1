import { Failure } from '../core/failure.ts';
import { type Answer, refusal } from './reply.ts';

/*
 * Ranges of bytes (RFC 9110, section 14): a download that broke off goes on where it was. One range is answered 206;
 * several, and what can't be read as a range, get the whole, as the RFC allows.
 */

/** What can be had whole or in part. */
export interface Whole {
  size: number;
  /** Strong: it changes with any byte. */
  etag: string;
  headers: Readonly<Record<string, string>>;
  /** The bytes from `from` up to `to`. */
  read(from: number, to: number): ReadableStream<Uint8Array> | Uint8Array;
}

interface Span {
  from: number;
  to: number;
}

export function answerRange(request: Request, requestId: string, whole: Whole): Answer {
  const { size, etag } = whole;
  const headers = { ...whole.headers, etag, 'accept-ranges': 'bytes' };
  const span = readRange(request, etag, size);
  if (span === null) return { status: 200, bytes: whole.read(0, size), headers };
  if (span.from >= span.to) {
    const { status, json } = refusal(new Failure('range_not_satisfiable'), requestId);
    return { status, json, headers: { 'content-range': `bytes */${size}` } };
  }
  const { from, to } = span;
  return {
    status: 206,
    bytes: whole.read(from, to),
    headers: { ...headers, 'content-range': `bytes ${from}-${to - 1}/${size}` },
  };
}

/** Null for the whole; an empty span where nothing of it exists. */
function readRange({ method, headers }: Request, etag: string, size: number): Span | null {
  const text = headers.get('range');
  if (text === null || method !== 'GET') return null;
  // It may be a date too, which we never send: no match.
  const condition = headers.get('if-range');
  if (condition !== null && condition !== etag) return null;
  const [, first, last] = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(text) ?? [];
  if (first === undefined || last === undefined || first + last === '') return null;
  if (first === '') return { from: Math.max(0, size - Number(last)), to: size };
  if (last !== '' && Number(last) < Number(first)) return null;
  return { from: Number(first), to: last === '' ? size : Math.min(size, Number(last) + 1) };
}
