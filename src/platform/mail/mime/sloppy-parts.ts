import { Transform, type TransformCallback } from 'node:stream';
import { tidyWords, toUtf8Field, type WordDecoder } from './encoded-words.ts';
import type { HeaderLine } from './found-mail.ts';

/*
 * Repairs parts whose headers can't be true. Without that, mailparser would turn a text into an attachment, or show its
 * encoded form. The fast lane leaves all such mail to mailparser.
 */

/** A part as mailsplit returns it, once it has read its header section. */
export interface SplitNode {
  root?: boolean;
  contentType: string | false;
  encoding: string | false;
  charset: string | false;
  disposition: string | false;
  filename: string | false;
  headers: { getList(): HeaderLine[] };
  getDecoder(): Transform;
}

const TEXT_TYPES: ReadonlySet<unknown> = new Set(['text/plain', 'text/html']);

/** Changes the type, encoding and file name of a part to what its mailer meant. */
export function repairPart(part: SplitNode, libmime: WordDecoder): void {
  part.contentType = repairType(part);
  part.encoding = repairEncoding(part.encoding);
  if (part.filename && SUSPECT_NAME.test(part.filename))
    part.filename = readFileName(part, libmime) ?? part.filename;
  const isText = TEXT_TYPES.has(part.contentType) && part.disposition !== 'attachment';
  if (!isText || part.encoding !== 'base64') return;
  const getDecoder = part.getDecoder.bind(part);
  part.getDecoder = () => new MixedDecoder(getDecoder());
}

const HTML_TYPE = /^(?:html|htm|text[ /]?html?|html\/text)(?=$|[\s,:])/;
const PLAIN_TYPE = /^(?:text\/?|text[ /](?:plain|text|txt|ascii)|plain\/text)(?=$|[\s,:])/;
/** Text with markup that a person can read. */
// biome-ignore format: by kind
const MARKED_TYPES: ReadonlySet<unknown> = new Set([
  'text/enriched', 'text/richtext', 'text/markdown', 'text/x-markdown',
]);

/**
 * Repairs types such as `text`, `html` or `text/html, charset=utf-8`. One that can't be read is text (RFC 2045 5.2).
 */
function repairType({ root, contentType, disposition, filename }: SplitNode): string | false {
  if (TEXT_TYPES.has(contentType) || disposition === 'attachment') return contentType;
  const type = contentType || '';
  if (HTML_TYPE.test(type)) return 'text/html';
  if (PLAIN_TYPE.test(type)) return 'text/plain';
  if (filename) return contentType;
  // A type that mailparser doesn't show would leave the mail without a text (RFC 2046 4.1.4).
  if (root && MARKED_TYPES.has(type)) return 'text/plain';
  return type.includes('/') ? contentType : 'text/plain';
}

const ENCODING_CHARS_MAX = 40;

/** Repairs encodings such as `quoted printable`, `Base-64;` or one in quotes. */
function repairEncoding(encoding: string | false): string | false {
  if (!encoding || encoding.length > ENCODING_CHARS_MAX) return encoding;
  const letters = encoding.replace(/[^a-z0-9]/g, '');
  if (letters === 'quotedprintable') return 'quoted-printable';
  return letters === 'base64' ? letters : encoding;
}

/** The name was read in the wrong charset, or is still encoded. */
const SUSPECT_NAME = /[\ufffd\x80-\x9f]|=\?/;

/** Reads the file name again like other fields, in the charset of the part. mailsplit decodes names on its own. */
function readFileName({ headers, charset }: SplitNode, libmime: WordDecoder): string | undefined {
  const lines = headers.getList();
  for (const [key, name] of [
    ['content-disposition', 'filename'],
    ['content-type', 'name'],
  ] as const) {
    const found = lines.find((line) => line.key === key);
    if (!found) continue;
    const { value } = libmime.decodeHeader(tidyWords(toUtf8Field(found.line, libmime, charset)));
    const written = Buffer.from(value, 'latin1').toString();
    const { params, decodedParams } = libmime.parseHeaderValue(written, { stripComments: true });
    const given = params[name];
    if (given) return decodedParams.includes(name) ? given : libmime.decodeWords(given);
  }
  return undefined;
}

/** The name of a header field and its colon (RFC 5322 2.2, 4.5.8). The name may be empty or not ASCII. */
const FIELD = /^[!-9;-~\x80-\xff]*[ \t]*:/;
/** Names of fields with which no line of a text begins by chance. */
const KNOWN_FIELD =
  /^(?:content-.*|x-.*|mime-version|received|dkim-signature|from|to|cc|subject|date|message-id|reply-to|return-path)$/;

/**
 * Returns the first lines of a text if they directly follow the fields, because the mailer left out the empty line.
 * Lines before a known field are not text: a program wrote something into the header section.
 */
export function readStrayLines({ headers }: SplitNode): string {
  const lines = headers.getList();
  const first = lines.findIndex(isStray);
  if (first < 0) return '';
  const stray = lines.slice(first);
  if (stray.some(({ key }) => KNOWN_FIELD.test(key))) return '';
  return stray.map(({ line }) => `${line}\r\n`).join('');
}

/** Whether any line of a header section is not a field. */
export function hasStrayLine(lines: readonly HeaderLine[]): boolean {
  return lines.some(isStray);
}

function isStray({ line }: HeaderLine): boolean {
  return !FIELD.test(line) && line.trim() !== '';
}

/** Decodes a body declared as base64 that ends with plain text (the footer of a list), or isn't base64 at all. */
class MixedDecoder extends Transform {
  private readonly chunks: Uint8Array[] = [];
  private readonly decoder: Transform;

  constructor(decoder: Transform) {
    super();
    this.decoder = decoder;
  }

  override _transform(chunk: Uint8Array, _encoding: BufferEncoding, done: TransformCallback): void {
    this.chunks.push(chunk);
    done();
  }

  override _flush(done: TransformCallback): void {
    const body = Buffer.concat(this.chunks);
    const end = findBase64End(body);
    this.decoder.on('data', (decoded: Uint8Array) => this.push(decoded));
    this.decoder.once('error', done);
    this.decoder.once('end', () => {
      if (end > 0 && end < body.length) this.push(Buffer.from('\n'));
      if (end < body.length) this.push(body.subarray(end));
      done();
    });
    this.decoder.end(body.subarray(0, end));
  }
}

/** A line is text if more than this share of its characters can't be in base64. */
const STRAY_SHARE = 1 / 20;
/** The share for a line in ASCII without a space, which may be base64 with a few damaged bytes. */
const STRAY_SHARE_DENSE = 1 / 4;
/** Base64 without padding that is shorter than this may be words. */
const BASE64_CHARS_MIN = 60;

/** What no line of base64 contains. Only lines with it are examined. */
const STRAY = /[^A-Za-z0-9+/=\s]|\S[ \t]+\S/g;

/** Returns where the encoded lines end; 0 if nothing is encoded. */
function findBase64End(body: Buffer): number {
  const text = body.toString('latin1');
  for (STRAY.lastIndex = 0; STRAY.test(text); ) {
    const from = text.lastIndexOf('\n', STRAY.lastIndex - 1) + 1;
    const next = text.indexOf('\n', STRAY.lastIndex);
    const to = next < 0 ? text.length : next;
    if (isText(text.slice(from, to).trim())) return endsBase64(text.slice(0, from)) ? from : 0;
    STRAY.lastIndex = to;
  }
  return body.length;
}

function isText(line: string): boolean {
  const stray = line.length - keepDigits(line).length;
  return stray > line.length * (/[ \x80-\xff]/.test(line) ? STRAY_SHARE : STRAY_SHARE_DENSE);
}

function endsBase64(text: string): boolean {
  const digits = keepDigits(text);
  return digits.length % 4 === 0 && (digits.endsWith('=') || digits.length >= BASE64_CHARS_MIN);
}

function keepDigits(text: string): string {
  return text.replace(/[^A-Za-z0-9+/=]+/g, '');
}
