import { createHash } from 'node:crypto';
import { failField } from '../core/failure.ts';
import type { ServerKey } from '../core/sealed.ts';

const POSITION_BYTES = 8;
const MAC_BYTES = 16;

/** What a cursor is valid for: its owner, and the route with its exact filters (docs/api-v1.md, Pagination). */
export type CursorScope = readonly (string | number | boolean | null)[];

/**
 * Returns an opaque cursor for the position after which the next page starts. It is encrypted, because a position may be a row
 * number, which would reveal how many inboxes or domains all accounts have together.
 *
 * @param position A number, or the text by which the list is sorted.
 */
export function sealCursor(key: ServerKey, scope: CursorScope, position: number | string): string {
  const bytes = typeof position === 'string' ? Buffer.from(position) : writeNumber(position);
  return Buffer.from(key.seal(bytes, makeContext(scope))).toString('base64url');
}

/** Returns the position in a cursor. One that is forged, or of another list or filter, fails with 422 fields.cursor. */
export function readCursor(key: ServerKey, scope: CursorScope, cursor: string): number {
  const position = cursor.includes('.')
    ? readSigned(key, scope, cursor)
    : readNumber(open(key, scope, cursor));
  return position ?? refuse();
}

/** Like readCursor, for a list that is sorted by a text. */
export function readTextCursor(key: ServerKey, scope: CursorScope, cursor: string): string {
  return open(key, scope, cursor)?.toString() ?? refuse();
}

function refuse(): never {
  return failField('cursor', 'is not a cursor of this list with these filters');
}

function writeNumber(position: number): Buffer {
  const bytes = Buffer.alloc(POSITION_BYTES);
  bytes.writeBigUInt64BE(BigInt(position));
  return bytes;
}

function readNumber(bytes: Buffer | null): number | null {
  return bytes?.length === POSITION_BYTES ? Number(bytes.readBigUInt64BE()) : null;
}

function open(key: ServerKey, scope: CursorScope, cursor: string): Buffer | null {
  const sealed = Buffer.from(cursor, 'base64url');
  // Buffer ignores characters that are not base64url, so one cursor would have many spellings.
  if (sealed.toString('base64url') !== cursor) return null;
  try {
    return Buffer.from(key.open(sealed, makeContext(scope)));
  } catch {
    return null;
  }
}

function makeContext(scope: CursorScope): string {
  return `cursor\n${JSON.stringify(scope)}`;
}

/** Reads the signed, unencrypted cursors of earlier versions: a client that follows the events keeps one for days. */
function readSigned(key: ServerKey, scope: CursorScope, cursor: string): number | null {
  const [encoded = '', given = '', ...rest] = cursor.split('.');
  const text = Buffer.from(encoded, 'base64url').toString();
  const position = Number.parseInt(text, 36);
  const mac = key
    .sign(`${makeContext(scope)}\n${text}`)
    .subarray(0, MAC_BYTES)
    .toString('base64url');
  return rest.length === 0 && isEqual(given, mac) && Number.isSafeInteger(position) ? position : null;
}

/** Compares digests, so that the time it takes reveals nothing about the expected value. */
function isEqual(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return digest(left).equals(digest(right));
}
