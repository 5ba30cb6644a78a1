import { bodyStart } from './structure.ts';

/*
 * A multipart without a part: the boundary that it declares begins no line, or it declares none. The delimiter is then
 * looked for in the body, or the body is its text.
 */

/** A boundary (RFC 2046 5.1.1; characters that need no escape), and the field of a part that follows it. */
const DELIMITER = /^--([!#-[\]-~]{1,70})[ \t]{0,9}\r?\n(?=content-[a-z-]{1,40}:)/im;
const TYPE_FIELD = /^content-type:[^\n]*\n(?:[ \t][^\n]*\n)*/im;
const HTML = /^\s*<(?:!doctype|html|head|body|table|div|p|style|meta)\b/i;

/** The mail with a Content-Type that fits its body; null when there is nothing in it. */
export function findLostParts(bytes: Uint8Array): Uint8Array | null {
  const mail = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const from = bodyStart(mail);
  const head = mail.toString('latin1', 0, from);
  const declared = TYPE_FIELD.exec(head);
  const body = mail.toString('latin1', from);
  if (!declared || body.trim() === '') return null;
  const boundary = DELIMITER.exec(body)?.[1];
  const kind = /multipart\/[a-z-]{1,40}/i.exec(declared[0])?.[0] ?? 'multipart/mixed';
  const type = boundary ? `${kind}; boundary="${boundary}"` : HTML.test(body) ? 'text/html' : 'text/plain';
  const { index } = declared;
  const mended = `${head.slice(0, index)}Content-Type: ${type}\r\n${head.slice(index + declared[0].length)}`;
  return Buffer.concat([Buffer.from(mended, 'latin1'), mail.subarray(from)]);
}
