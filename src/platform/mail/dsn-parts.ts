/** Splits a small mail into parts (RFC 2045, 2046): enough for a delivery report (dsn.ts), in linear time. */
import { viewBytes } from '../core/bytes.ts';

export interface MimePart {
  /** The first field of each name, in lower case. */
  headers: Map<string, string>;
  /** Lower-case; text/plain by default. */
  type: string;
  /** Undecoded, latin1. */
  body: string;
  parts: MimePart[];
}

const LEVELS_MAX = 4;
const PARTS_MAX = 30;

export function readParts(bytes: Uint8Array): MimePart {
  const text = viewBytes(bytes).toString('latin1');
  return readPart(text, 1, { left: PARTS_MAX });
}

/** All parts share `budget`, so that nested parts can't get around it. */
function readPart(text: string, level: number, budget: { left: number }): MimePart {
  budget.left -= 1;
  // A part may start with its empty line.
  const empty = /^\r?\n|\n\r?\n/.exec(text);
  const end = empty ? empty.index : text.length;
  const headers = readHeaders(text.slice(0, end));
  const body = text.slice(end + (empty?.[0].length ?? 0));
  const given = headers.get('content-type') ?? 'text/plain';
  const type = (/^\s*([^\s;]+)/.exec(given)?.[1] ?? 'text/plain').toLowerCase();
  const boundary = /;\s*boundary\s*=\s*(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(given);
  const mark = boundary?.[1] ?? boundary?.[2];
  const parts: MimePart[] = [];
  if (type.startsWith('multipart/') && mark !== undefined && level < LEVELS_MAX) {
    for (const piece of splitParts(body, mark))
      if (budget.left > 0) parts.push(readPart(piece, level + 1, budget));
  }
  return { headers, type, body, parts };
}

/** Returns the text between delimiter lines. If the last one is missing, the last part reaches to the end. */
function splitParts(body: string, mark: string): string[] {
  const pieces: string[] = [];
  let from = -1;
  let at = 0;
  while (at <= body.length) {
    const next = body.indexOf('\n', at);
    const lineEnd = next < 0 ? body.length : next;
    if (body.startsWith(`--${mark}`, at)) {
      if (from >= 0) pieces.push(body.slice(from, at));
      const isLast = body.startsWith('--', at + 2 + mark.length);
      from = isLast ? -1 : lineEnd + 1;
      if (isLast) break;
    }
    at = lineEnd + 1;
  }
  if (from >= 0) pieces.push(body.slice(from));
  return pieces;
}

/** Returns the fields of a header section by name, unfolded. */
export function readHeaders(section: string): Map<string, string> {
  const lines: string[][] = [];
  for (const line of section.split(/\r?\n/)) {
    if (/^[ \t]/.test(line)) lines.at(-1)?.push(line.trim());
    else lines.push([line]);
  }
  const fields = new Map<string, string>();
  for (const line of lines.map((pieces) => pieces.join(' '))) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (name !== '' && !fields.has(name)) fields.set(name, line.slice(colon + 1).trim());
  }
  return fields;
}

/** Decodes a part's text. In charsets other than UTF-8, at least its ASCII is right. */
export function decodeText({ headers, body }: MimePart): string {
  const encoding = (headers.get('content-transfer-encoding') ?? '').trim().toLowerCase();
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1').toString('utf8');
  const joined = body.replace(/=\r?\n/g, '');
  const bytes = joined.replace(/=([0-9A-Fa-f]{2})/g, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
