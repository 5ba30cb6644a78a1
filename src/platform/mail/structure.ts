import { viewBytes } from '../core/bytes.ts';
import { HEADER_RESCUE_BYTES, HEADER_RESCUE_LINES, LEVELS_MAX, PARTS_MAX, RECEIVED_MAX } from './bounds.ts';

/* What a mail's lines reveal in one pass, without a parser. */

const EMPTY_LINE = Buffer.from('\n\r\n');
const BARE_EMPTY_LINE = Buffer.from('\n\n');
const DELIMITER = Buffer.from('\n--');

/** Returns where the body begins, after the empty line; the mail's length if it has no body. */
export function findBodyStart(bytes: Uint8Array): number {
  const mail = viewBytes(bytes);
  const crlf = mail.indexOf(EMPTY_LINE);
  const bare = mail.indexOf(BARE_EMPTY_LINE);
  if (crlf < 0 && bare < 0) return mail.length;
  if (bare >= 0 && (crlf < 0 || bare < crlf)) return bare + BARE_EMPTY_LINE.length;
  return crlf + EMPTY_LINE.length;
}

/** Returns the header section, cut to `bytesMax`, as a mail without a body. */
export function cutHeaderSection(bytes: Uint8Array, bytesMax: number): Uint8Array {
  const end = Math.min(findBodyStart(bytes.subarray(0, bytesMax + EMPTY_LINE.length)), bytesMax);
  return Buffer.concat([bytes.subarray(0, end), Buffer.from('\r\n\r\n')]);
}

/** Returns the first headers, few enough for a parser that refused all of them. */
export function cutHeaders(bytes: Uint8Array): Uint8Array {
  const head = bytes.subarray(0, HEADER_RESCUE_BYTES);
  let end = 0;
  for (let lines = 0; lines < HEADER_RESCUE_LINES; lines++) {
    const lineEnd = head.indexOf(0x0a, end);
    if (lineEnd < 0) return cutHeaderSection(head, HEADER_RESCUE_BYTES);
    end = lineEnd + 1;
  }
  return cutHeaderSection(head.subarray(0, end), HEADER_RESCUE_BYTES);
}

/**
 * Cuts a multipart mail before its parts or levels exceed the bounds. Counts delimiter lines (`--x`) without knowing
 * the boundaries: `--x--` closes a level, and a part that is a multipart opens one. Lines with a space are ignored,
 * because a patch is full of `--- a/file`. A mail that hides parts behind such boundaries exceeds mailparser's own
 * bound, and only its headers are read.
 */
export function cutStructure(bytes: Uint8Array): { kept: Uint8Array; cut: boolean } {
  const mail = viewBytes(bytes);
  const body = findBodyStart(mail);
  if (!/^content-type:\s*multipart\//im.test(mail.toString('latin1', 0, body)))
    return { kept: bytes, cut: false };
  let parts = 0;
  let level = 1;
  let at = mail.indexOf(DELIMITER, Math.max(0, body - DELIMITER.length));
  while (at >= 0) {
    const endOfLine = findLineEnd(mail, at + 1);
    const blank = mail.subarray(at, endOfLine).includes(0x20);
    if (!blank && closesLevel(mail, at + 1, endOfLine)) level = Math.max(1, level - 1);
    else if (!blank) {
      parts += 1;
      if (opensLevel(mail, endOfLine)) level += 1;
      if (parts > PARTS_MAX - 2 || level > LEVELS_MAX) return { kept: mail.subarray(0, at + 1), cut: true };
    }
    at = mail.indexOf(DELIMITER, endOfLine - 1);
  }
  return { kept: bytes, cut: false };
}

/** Whether the headers have more hops than any honest route (RFC 5321 6.3). */
export function isLooping(head: Uint8Array): boolean {
  const header = viewBytes(head).toString('latin1', 0, findBodyStart(head));
  let hops = 0;
  for (const _ of header.matchAll(/^received[ \t]*:/gim)) {
    hops += 1;
    if (hops > RECEIVED_MAX) return true;
  }
  return false;
}

function findLineEnd(mail: Buffer, from: number): number {
  const at = mail.indexOf(0x0a, from);
  return at < 0 ? mail.length : at + 1;
}

function closesLevel(mail: Buffer, from: number, to: number): boolean {
  let end = to;
  while (end > from && (mail[end - 1] === 0x0a || mail[end - 1] === 0x0d)) end -= 1;
  return end - from > 4 && mail[end - 1] === 0x2d && mail[end - 2] === 0x2d;
}

/** Bytes at the start of a part that are searched for its Content-Type. */
const PART_HEAD_BYTES = 1024;

function opensLevel(mail: Buffer, from: number): boolean {
  const head = mail.toString('latin1', from, Math.min(mail.length, from + PART_HEAD_BYTES));
  const end = head.search(/^\r?$/m);
  return /^content-type:\s*multipart\//im.test(end < 0 ? head : head.slice(0, end));
}
