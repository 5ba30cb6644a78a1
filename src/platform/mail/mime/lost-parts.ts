import { viewBytes } from '../../core/bytes.ts';
import { findBodyStart } from '../structure.ts';

/*
 * Repairs multiparts without a part: no line begins with the boundary that they declare, or they declare none. If the
 * body has a line that looks like a delimiter before the fields of a part, its boundary is used; otherwise the body
 * is one text. The multipart around such a one may be fine.
 */

/** A delimiter line (RFC 2046 5.1.1; only characters that need no escape), and the field of a part that follows it. */
const DELIMITER = /^--([!#-[\]-~]{1,70})[ \t]{0,9}\r?\n(?=content-[a-z-]{1,40}:)/im;
const TYPE_FIELD = /^content-type:[^\n]*\n(?:[ \t][^\n]*\n)*/im;
const MULTIPART = /^content-type:\s{0,99}(multipart\/[a-z-]{1,40})/i;
const BOUNDARY = /;\s{0,99}boundary\s{0,9}=\s{0,9}(?:"([^"\r\n]{1,200})"|([^\s;"]{1,200}))/i;
const HTML = /^\s*<(?:!doctype|html|head|body|table|div|p|style|meta)\b/i;

/** Nested multiparts; each level is searched again. Mailers need four: signed, mixed, related, alternative. */
const LEVELS_MAX = 6;
/** Bytes of a delimiter line after its boundary (RFC 5322 2.1.1). */
const LINE_BYTES_MAX = 998;

const REST_START = new Set(Buffer.from('-\r\n\t '));

/** Replaces a range of the mail. */
interface Edit {
  from: number;
  to: number;
  text: string;
}

/** Returns the mail with Content-Types that fit its body; null if there is nothing to repair. */
export function repairLostParts(bytes: Uint8Array): Uint8Array | null {
  const mail = viewBytes(bytes);
  const edits: Edit[] = [];
  repairSection(mail, { from: 0, to: mail.length, level: 1 }, edits);
  if (edits.length === 0) return null;
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const { from, to, text } of edits) {
    pieces.push(mail.subarray(at, from), Buffer.from(text));
    at = to;
  }
  return Buffer.concat([...pieces, mail.subarray(at)]);
}

interface Section {
  from: number;
  to: number;
  level: number;
}

function repairSection(mail: Buffer, { from, to, level }: Section, edits: Edit[]): void {
  const section = mail.subarray(from, to);
  const bodyAt = findBodyStart(section);
  const head = section.toString('latin1', 0, bodyAt);
  const field = TYPE_FIELD.exec(head);
  const kind = field && MULTIPART.exec(field[0])?.[1];
  if (!kind || level > LEVELS_MAX || /^\r?\n/.test(head)) return;
  const [, quoted, bare] = BOUNDARY.exec(field[0]) ?? [];
  const delimiter = `--${quoted ?? bare ?? ''}`;
  const parts = delimiter === '--' ? [] : findParts(section, bodyAt, delimiter);
  for (const part of parts)
    repairSection(mail, { from: from + part.from, to: from + part.to, level: level + 1 }, edits);
  const body = parts.length > 0 ? '' : section.toString('latin1', bodyAt);
  if (body.trim() === '' || body.trim() === `${delimiter}--`) return;
  const boundary = DELIMITER.exec(body)?.[1];
  const type = boundary ? `${kind}; boundary="${boundary}"` : HTML.test(body) ? 'text/html' : 'text/plain';
  const start = from + field.index;
  edits.push({ from: start, to: start + field[0].length, text: `Content-Type: ${type}\r\n` });
  if (boundary || !body.trimEnd().endsWith(`\n${delimiter}--`)) return;
  edits.push({ from: from + bodyAt + body.lastIndexOf(delimiter), to, text: '' });
}

/** Returns the ranges between the delimiter lines, within the section. */
function findParts(section: Buffer, bodyAt: number, delimiter: string): { from: number; to: number }[] {
  const parts: { from: number; to: number }[] = [];
  const start = Buffer.from(`\n${delimiter}`, 'latin1');
  let from = -1;
  for (let at = section.indexOf(start, bodyAt - 1); at >= 0; ) {
    const after = at + start.length;
    const lineEnd = section.indexOf(0x0a, after);
    const next = lineEnd < 0 ? section.length : lineEnd + 1;
    const rest = readRest(section, after, next);
    if (rest !== null && from >= 0) parts.push({ from, to: at + 1 });
    if (rest === '--') return parts;
    if (rest === '') from = next;
    at = section.indexOf(start, next - 1);
  }
  if (from >= 0) parts.push({ from, to: section.length });
  return parts;
}

/** Returns what follows a boundary on its line; null if the line has a longer boundary that begins with this one. */
function readRest(section: Buffer, from: number, to: number): '' | '--' | null {
  // For most lines one byte is enough.
  if (from < to && !REST_START.has(section[from]!)) return null;
  const rest = section.toString('latin1', from, Math.min(to, from + LINE_BYTES_MAX)).trim();
  return rest === '' || rest === '--' ? rest : null;
}
