import { isAscii } from 'node:buffer';
import MimeNode from '@zone-eu/mailsplit/lib/mime-node.js';
import { viewBytes } from '../../core/bytes.ts';
import { HEADER_BYTES_MAX } from '../bounds.ts';
import type { MailRange, MailRanges } from '../mail-range.ts';
import { findBodyStart } from '../structure.ts';
import { decodeUnspecific, isUtf8Name, JAPANESE_ESCAPE } from './charset.ts';
import type { HeaderLine } from './found-mail.ts';
import { type Head, readPlainHead, readPlainValues } from './plain-headers.ts';
import { readQuotedPrintable } from './quoted-printable.ts';
import { hasStrayLine } from './sloppy-parts.ts';

/*
 * The fast lane. Most mail has a simple shape: one text, or a flat multipart of texts, in UTF-8. mailparser, the slow
 * lane, sends such a mail through a dozen streams that each wait for the event loop. The fast lane reads it
 * synchronously.
 *
 * It must return exactly what the slow lane returns. So it reads only what can't come out differently there, and
 * returns null for everything else: each such check below is a case in which mailparser is hard to predict. Where it
 * can, it runs the libraries' own code: mailsplit for header sections (MimeNode), mailparser for header values
 * (`readHeaders`), libqp for quoted-printable. Only the strict forms of these are read by our own code
 * (plain-headers.ts, quoted-printable.ts).
 *
 * Two differences are deliberate, and nobody can see them: `headers` lacks the fields that parse.ts doesn't read, and
 * `ranges` says where in the mail a text is, so that the store needs no second copy of it.
 * test/platform/mail/mime/fast-lane.test.ts parses our mails and thousands of generated variants in both lanes and
 * compares the results.
 */

export interface PlainMail {
  headers: Map<string, unknown>;
  lines: HeaderLine[];
  text: string;
  html: string;
  ranges: MailRanges;
}

/** Few mails without attachments are larger. mailparser gets those in pieces, which keeps their memory low. */
const BYTES_MAX = 256 * 1024;
const PARTS_MAX = 20;
/** Bytes that mailsplit counts at least for each line of a header section. */
const HEADER_LINE_COST = 64;
const MULTIPARTS = new Set(['multipart/alternative', 'multipart/mixed', 'multipart/related']);
const ENCODINGS = new Set(['', '7bit', '8bit', 'binary', 'base64', 'quoted-printable']);

/** Returns the mail's headers and texts as mailparser would; null if mailparser has to read it. */
export function readPlain(
  bytes: Uint8Array,
  readHeaders: (lines: HeaderLine[]) => Map<string, unknown>,
): PlainMail | null {
  if (bytes.length > BYTES_MAX) return null;
  const mail = viewBytes(bytes);
  const source = mail.toString('latin1');
  // A bare carriage return may begin a delimiter line or a field.
  if (/\r(?!\n)/.test(source) || source.includes(JAPANESE_ESCAPE)) return null;
  const root = readSection(mail, source, 0, source.length);
  if (!root) return null;
  const { head } = root;
  // The header fields may be in that charset too.
  if (head.charset && !isUtf8Name(head.charset)) return null;
  const parts = head.isMultipart ? readParts(mail, source, root) : [root];
  const texts = parts?.map((part) => readTextPart(part, source));
  if (!texts?.every((text) => text !== null)) return null;
  const { lines } = head;
  const readValues = (section: Section) =>
    (section.isPlain ? readPlainValues(section.head.lines) : null) ?? readHeaders(section.head.lines);
  // The values of the parts are read only to find out whether mailparser would throw.
  for (const part of parts ?? []) if (part !== root) readValues(part);
  return { headers: readValues(root), lines, ...joinTexts(texts) };
}

type Node = MimeNode & { headers: { getList(): HeaderLine[] } };

/** The mail, or one of its parts: its header section and its body. */
interface Section {
  head: Head;
  /** Whether the header section is in printable ASCII and of the usual form (plain-headers.ts). */
  isPlain: boolean;
  body: Buffer;
  /** Where in the mail the body begins. */
  from: number;
}

function readSection(mail: Buffer, source: string, from: number, to: number): Section | null {
  const section = mail.subarray(from, to);
  const headEnd = findBodyStart(section);
  const head = source.slice(from, from + headEnd);
  // It has no field, no empty line at its end, or a line that looks like a delimiter.
  if (!/^[^\r\n]/.test(head) || !/\n\r?\n$/.test(head) || /^--/m.test(head)) return null;
  if (headEnd + countLines(head) * HEADER_LINE_COST > HEADER_BYTES_MAX) return null;
  const plain = readPlainHead(head);
  const read = plain ?? readHead(section.subarray(0, headEnd));
  // mailparser may read a line that is not a field as text.
  if (hasStrayLine(read.lines)) return null;
  return {
    head: read,
    isPlain: plain !== null,
    body: section.subarray(headEnd),
    from: from + headEnd,
  };
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

function readHead(section: Buffer): Head {
  const node = new MimeNode(false, {}) as Node;
  node.addHeaderChunk(section);
  node.parseHeaders();
  return {
    lines: node.headers.getList(),
    contentType: node.contentType as string | false,
    isMultipart: Boolean(node.multipart),
    boundary: node._boundary ? node._boundary.toString('latin1') : null,
    encoding: node.encoding || '',
    charset: node.charset as string | false,
    disposition: node.disposition as string | false,
    isFlowed: node.flowed,
  };
}

/** Splits a flat multipart into its parts; null unless every delimiter is beyond doubt. */
function readParts(mail: Buffer, source: string, { head, from }: Section): Section[] | null {
  if (!head.boundary || !MULTIPARTS.has(head.contentType as string)) return null;
  const cut = findDelimiters(source, from, `--${head.boundary}`);
  if (!cut) return null;
  const parts: Section[] = [];
  for (const [index, { end }] of cut.slice(0, -1).entries()) {
    // The line end before a delimiter belongs to it (RFC 2046 5.1.1).
    const next = cut[index + 1]!.start;
    const part = readSection(mail, source, end, next);
    const body = part && withoutLineEnd(part.body);
    // Whether a lone line end becomes text in mailparser depends on how its streams split it.
    if (!body || (body.length === 0 && part.body.length > 0)) return null;
    parts.push({ ...part, body });
  }
  return parts;
}

interface Delimiter {
  /** Where its line begins. */
  start: number;
  /** Where the next line begins. */
  end: number;
}

/** Finds all delimiter lines including the closing one. Null if that is missing, or anything else looks like one. */
function findDelimiters(source: string, from: number, delimiter: string): Delimiter[] | null {
  const found: Delimiter[] = [];
  let isClosed = false;
  for (let at = source.indexOf(delimiter, from); at >= 0; at = source.indexOf(delimiter, at + 1)) {
    if (at > from && source[at - 1] !== '\n') continue;
    const lineEnd = source.indexOf('\n', at);
    const rest = source.slice(at + delimiter.length, lineEnd < 0 ? source.length : lineEnd).trimEnd();
    const isPlain = rest === '' && lineEnd >= 0;
    if (isClosed || (!isPlain && rest !== '--') || found.length > PARTS_MAX) return null;
    isClosed = rest === '--';
    found.push({ start: at, end: lineEnd + 1 });
  }
  return isClosed && found.length > 1 ? found : null;
}

function withoutLineEnd(body: Buffer): Buffer {
  let end = body.length;
  if (end > 0 && body[end - 1] === 0x0a) end -= 1;
  if (end > 0 && end < body.length && body[end - 1] === 0x0d) end -= 1;
  return body.subarray(0, end);
}

interface TextPart {
  isHtml: boolean;
  text: string;
  range: MailRange | null;
}

/**
 * Decodes the text of a part; null if it is an attachment, a multipart, or not in UTF-8.
 *
 * @param source the mail in Latin-1.
 */
function readTextPart({ head, body, from }: Section, source: string): TextPart | null {
  const { contentType, disposition, encoding } = head;
  const isHtml = contentType === 'text/html';
  if (!isHtml && contentType !== 'text/plain') return null;
  // mailsplit looks for a declared boundary even within a text.
  if (head.isFlowed || head.boundary !== null || (disposition && disposition !== 'inline')) return null;
  if (!ENCODINGS.has(encoding) || !isUtf8Name(head.charset || 'utf-8')) return null;
  if (encoding === 'quoted-printable')
    return { isHtml, text: decodeUnspecific(readQuotedPrintable(body)), range: null };
  if (encoding !== 'base64' && isAscii(body)) {
    const range = [from, from + body.length] as const;
    // The same as readRange, without another copy of the mail.
    return { isHtml, text: source.slice(...range).replaceAll('\r\n', '\n'), range };
  }
  const text = encoding === 'base64' ? readBase64(body) : decodeUnspecific(body);
  return text === null ? null : { isHtml, text: text.replaceAll('\r\n', '\n'), range: null };
}

function readBase64(body: Buffer): string | null {
  const text = body.toString('latin1').replace(/[\r\n]+/g, '');
  // Decoders disagree about malformed base64.
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)
    ? decodeUnspecific(Buffer.from(text, 'base64'))
    : null;
}

/** Joins the texts of a mail as mailparser does. */
function joinTexts(parts: readonly TextPart[]): Pick<PlainMail, 'text' | 'html' | 'ranges'> {
  const written = parts.filter(({ text }) => text !== '');
  const texts = written.filter(({ isHtml }) => !isHtml);
  const htmls = written.filter(({ isHtml }) => isHtml);
  return {
    text: texts.map(({ text }) => text).join('\n'),
    html: htmls.map(({ text }) => text).join('<br/>\n'),
    ranges: { text: findOnly(texts), html: findOnly(htmls) },
  };
}

const findOnly = (texts: readonly TextPart[]) => (texts.length === 1 ? texts[0]!.range : null);
