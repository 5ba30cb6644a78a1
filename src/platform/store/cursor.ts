import { createHash } from 'node:crypto';
import { failField } from '../core/failure.ts';
import type { ServerKey } from '../core/sealed.ts';

const MAC_BYTES = 16;

/** What a cursor is bound to: its owner, and the route with its exact filters (docs/api-v1.md, Pagination). */
export type CursorScope = readonly (string | number | boolean | null)[];

/** An opaque cursor for the position after which the next page starts. */
export function signCursor(key: ServerKey, scope: CursorScope, position: number): string {
  const text = position.toString(36);
  return `${Buffer.from(text).toString('base64url')}.${computeMac(key, scope, text)}`;
}

/** The position. A cursor that is forged, or belongs to another list or filter, is 422 fields.cursor. */
export function readCursor(key: ServerKey, scope: CursorScope, cursor: string): number {
  const [encoded = '', given = '', ...rest] = cursor.split('.');
  const text = Buffer.from(encoded, 'base64url').toString();
  const position = Number.parseInt(text, 36);
  const known =
    rest.length === 0 && isEqual(given, computeMac(key, scope, text)) && Number.isSafeInteger(position);
  if (!known) failField('cursor', 'is not a cursor of this list with these filters');
  return position;
}

function computeMac(key: ServerKey, scope: CursorScope, text: string): string {
  return key
    .sign(`cursor\n${JSON.stringify(scope)}\n${text}`)
    .subarray(0, MAC_BYTES)
    .toString('base64url');
}

/** Compares digests, so that the time taken reveals nothing about the expected value. */
function isEqual(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return digest(left).equals(digest(right));
}
