import { Transform, type TransformCallback } from 'node:stream';
import { tidyWords, toUtf8Field, type WordDecoder } from './encoded-words.ts';
import type { HeaderLine } from './found-mail.ts';

/*
 * Parts whose headers say what they can't mean. mailparser would make an attachment of a text, or show its bytes. The
 * fast lane leaves them all to it.
 */

/** A part as mailsplit has read its header section. */
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

/** Changes a part to what its mailer means. */
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
/** Text with marks that a person can read. */
// biome-ignore format: by kind
const MARKED_TYPES: ReadonlySet<unknown> = new Set([
  'text/enriched', 'text/richtext', 'text/markdown', 'text/x-markdown',
]);

/** `text`, `html`, `text/html, charset=utf-8`: without a type that can be read, it is text (RFC 2045 5.2). */
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

/** `quoted printable`, `Base-64;`, in quotes. */
function repairEncoding(encoding: string | false): string | false {
  if (!encoding || encoding.length > ENCODING_CHARS_MAX) return encoding;
  const letters = encoding.replace(/[^a-z0-9]/g, '');
  if (letters === 'quotedprintable') return 'quoted-printable';
  return letters === 'base64' ? letters : encoding;
}

/** In the wrong charset, or still encoded. */
const SUSPECT_NAME = /[\ufffd\x80-\x9f]|=\?/;

/** The name with charsets that are read as everywhere in a mail; mailsplit has a decoder of its own. */
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

/** The name of a header field and its colon (RFC 5322 2.2, 4.5.8), also one that is empty or not ASCII. */
const FIELD = /^[!-9;-~\x80-\xff]*[ \t]*:/;
/** Fields that no text begins its lines with by chance. */
const KNOWN_FIELD =
  /^(?:content-.*|x-.*|mime-version|received|dkim-signature|from|to|cc|subject|date|message-id|reply-to|return-path)$/;

/**
 * Lines of a text that directly follow the fields: the mailer left out the empty line between them. Such lines in front
 * of known fields are none; a program wrote something into the header section.
 */
export function readStrayLines({ headers }: SplitNode): string {
  const lines = headers.getList();
  const first = lines.findIndex(isStray);
  if (first < 0) return '';
  const stray = lines.slice(first);
  if (stray.some(({ key }) => KNOWN_FIELD.test(key))) return '';
  return stray.map(({ line }) => `${line}\r\n`).join('');
}

/** Whether readStrayLines would find something to look at. */
export function hasStrayLine(lines: readonly HeaderLine[]): boolean {
  return lines.some(isStray);
}

function isStray({ line }: HeaderLine): boolean {
  return !FIELD.test(line) && line.trim() !== '';
}

/** Decodes base64 that is followed by text (the footer of a list), or is none at all. */
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

/** In a line of text more characters than this share are no digits of base64. */
const STRAY_SHARE = 1 / 20;
/** The same of a line in ASCII without a space, which can be base64 with a few bytes damaged. */
const STRAY_SHARE_DENSE = 1 / 4;
/** A shorter text without padding may be a word. */
const BASE64_CHARS_MIN = 60;

/** What no line of base64 has in it: only lines with it are looked at. */
const STRAY = /[^A-Za-z0-9+/=\s]|\S[ \t]+\S/g;

/** Where the encoded lines end. */
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
