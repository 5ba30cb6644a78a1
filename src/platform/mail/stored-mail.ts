/**
 * How a mail is stored (table `raw`): its bytes, and the JSON of its parsed content (ParsedContent). Only this file
 * knows the two forms:
 *
 * - A small mail has one zstd frame, with the JSON first and then the bytes. The text is in both, so together they
 *   take little more than one of them. For a text that is unencoded in the bytes, the JSON has only its range.
 * - A larger mail has a frame for each, because its content is read without its bytes. So do mails that older
 *   versions stored.
 */

import { zstdDecompressSync } from 'node:zlib';
import { viewBytes } from '../core/bytes.ts';
import { type MailRange, type MailRanges, readRange } from './mail-range.ts';
import type { ParsedContent } from './parsed.ts';

/** Mails up to this size have one frame: reading the content of such a mail takes at most 0.3 ms longer. */
export const ONE_FRAME_MAIL_BYTES = 64 * 1024;
/** Up to this size, the JSON may share the frame: the writer thread compresses as much in a millisecond. */
export const ONE_FRAME_CONTENT_BYTES = 256 * 1024;
/**
 * The maximum of JSON that is read, in bytes; the bounds on texts (platform/mail/bounds.ts) allow a fifth of it. The
 * parser compresses the content of a larger mail, and a parser that a mail took over could pack 1 GB into 30 KB,
 * which would block the main thread.
 */
const CONTENT_BYTES_MAX = 64 * 1024 * 1024;
/** The same for new content: all texts at their bounds, in characters of three bytes, and every name of an attachment. */
const NEW_CONTENT_BYTES_MAX = 12 * 1024 * 1024;
/** Bytes of its JSON that are not in strings: a thousand attachments have a fifth of it. Millions of lists would take seconds. */
const NEW_CONTENT_FRAME_BYTES_MAX = 1024 * 1024;
/** zstd's fastest level compresses 5 KB of mail to a third in 50 µs. */
const ZSTD_LEVEL = 1;

/** Content that shares a frame with its mail. A text that is absent is in the mail, at its range. */
export type ShortContent = Omit<ParsedContent, 'text' | 'html'> &
  Partial<Pick<ParsedContent, 'text' | 'html'>> & { text_range?: MailRange; html_range?: MailRange };

/** Content as the parser process returns it: JSON if it is small enough for one frame, otherwise already compressed. */
export interface EncodedContent {
  content: Uint8Array;
  isJson: boolean;
}

/** The columns from which the content is read. */
export interface ContentColumns {
  /** The frame of the content, or the only frame. */
  content: Uint8Array;
  /** Bytes of JSON at the start of the only frame; 0 if the mail's bytes are elsewhere. */
  content_size: number;
  /** Bytes of the mail. */
  size: number;
}

/**
 * The columns from which the bytes are read. `bytes` is null if they are in the only frame, or in pieces (raw_chunk).
 */
export interface MailColumns extends ContentColumns {
  bytes: Uint8Array | null;
}

/** A frame with all bytes of a mail, or a piece of them. */
export interface StoredPiece {
  frame: Uint8Array;
  /** Bytes of JSON at its start. */
  content_size: number;
  /** Bytes of the whole mail, even if this is a piece of it. */
  size: number;
}

/** Whether a mail and its content are small enough for one frame. */
function fitsOneFrame(mailBytes: number, contentBytes: number): boolean {
  return mailBytes <= ONE_FRAME_MAIL_BYTES && contentBytes <= ONE_FRAME_CONTENT_BYTES;
}

/**
 * Encodes content for the way from the parser process to the writer thread; `decodeContent` reads it.
 *
 * @param mailBytes the size of the mail.
 */
export function encodeContent(
  content: ParsedContent,
  ranges: MailRanges | undefined,
  mailBytes: number,
): EncodedContent {
  if (ranges && mailBytes <= ONE_FRAME_MAIL_BYTES) {
    const json = encodeJson(shorten(content, ranges));
    if (json.length <= ONE_FRAME_CONTENT_BYTES) return { content: json, isJson: true };
  }
  const json = encodeJson(content);
  const isJson = fitsOneFrame(mailBytes, json.length);
  return { content: isJson ? json : compressStored(json), isJson };
}

function shorten(content: ParsedContent, { text, html }: MailRanges): ShortContent {
  const short: ShortContent = { ...content };
  if (text) Object.assign(short, { text: undefined, text_range: text });
  if (html) Object.assign(short, { html: undefined, html_range: html });
  return short;
}

const encodeJson = (value: unknown) => Buffer.from(JSON.stringify(value));

/**
 * Adds the texts that are in the mail.
 *
 * @param mail null if the content does not share a frame with it, and so has no ranges.
 */
function complete({ text_range, html_range, ...short }: ShortContent, mail: Buffer | null): ParsedContent {
  const read = (range: MailRange | undefined) => (mail && range ? readRange(mail, range) : '');
  return { ...short, text: short.text ?? read(text_range), html: short.html ?? read(html_range) };
}

export function compressStored(bytes: Uint8Array): Uint8Array {
  return Bun.zstdCompressSync(bytes as Uint8Array<ArrayBuffer>, { level: ZSTD_LEVEL });
}

/** JSON and mail are joined here before they are compressed: new memory for each would take a tenth of storing it. */
const joined = Buffer.allocUnsafeSlow(ONE_FRAME_CONTENT_BYTES + ONE_FRAME_MAIL_BYTES);

function compressTogether(content: Uint8Array, mail: Uint8Array): Uint8Array {
  joined.set(content);
  joined.set(mail, content.length);
  return compressStored(joined.subarray(0, content.length + mail.length));
}

/** Returns the frame with the content of a mail whose bytes are in pieces. */
export function packContent({ content, isJson }: EncodedContent): Uint8Array {
  return isJson ? compressStored(content) : content;
}

/** Returns the columns of a mail. */
export function packMail(encoded: EncodedContent, mail: Uint8Array): Omit<MailColumns, 'size'> {
  const { content, isJson } = encoded;
  if (isJson && content.length > 0 && fitsOneFrame(mail.length, content.length))
    return { content: compressTogether(content, mail), content_size: content.length, bytes: null };
  return { content: packContent(encoded), content_size: 0, bytes: compressStored(mail) };
}

/** Converts a mail with two frames to one; null if that is not smaller, or the mail is damaged or too large. */
export function repackMail(old: MailColumns): Omit<MailColumns, 'size'> | null {
  if (old.bytes === null || old.content_size > 0 || old.size > ONE_FRAME_MAIL_BYTES) return null;
  const content = decompressUpTo(old.content, ONE_FRAME_CONTENT_BYTES);
  const mail = decompressUpTo(old.bytes, ONE_FRAME_MAIL_BYTES);
  if (!content || mail?.length !== old.size) return null;
  const packed = packMail({ content, isJson: true }, mail);
  if (packed.bytes !== null || packed.content.length >= old.content.length + old.bytes.length) return null;
  // This replaces the old form, so the new one is checked first.
  return readOneFrame({ ...packed, size: old.size }).equals(Buffer.concat([content, mail])) ? packed : null;
}

/** Returns the content of a stored mail. Throws if the row is damaged. */
export function readContent(row: ContentColumns): ParsedContent {
  const { json, mail } = openContent(row);
  return complete(JSON.parse(json.toString()), mail);
}

/**
 * Parses content that a parser process has sent, which may be anything. Throws if it is more than content can be, or no
 * JSON.
 */
export function parseEncoded({ content, isJson }: EncodedContent): unknown {
  if (isJson && content.length > ONE_FRAME_CONTENT_BYTES) throw new Error(`${content.length} bytes of JSON`);
  const json = isJson
    ? viewBytes(content)
    : zstdDecompressSync(content, { maxOutputLength: NEW_CONTENT_BYTES_MAX });
  if (countOutsideStrings(json) > NEW_CONTENT_FRAME_BYTES_MAX)
    throw new Error('content with too many values');
  return JSON.parse(json.toString());
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function countOutsideStrings(json: Uint8Array): number {
  if (json.length <= NEW_CONTENT_FRAME_BYTES_MAX) return json.length;
  let count = 0;
  let isInside = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) isInside = !isInside;
    else if (!isInside) count += 1;
    else if (byte === BACKSLASH) at += 1;
  }
  return count;
}

/** Returns the content of a mail that is not stored. */
export function decodeContent({ content, isJson }: EncodedContent, mail: Uint8Array): ParsedContent {
  const json = isJson
    ? viewBytes(content)
    : zstdDecompressSync(content, { maxOutputLength: CONTENT_BYTES_MAX });
  return complete(JSON.parse(json.toString()), viewBytes(mail));
}

const RANGE = '_range":[';

/** Returns what `readContent` does, as JSON. Throws if the row is damaged. */
export function readContentJson(row: ContentColumns): Buffer {
  const { json, mail } = openContent(row);
  return mail && json.includes(RANGE) ? encodeJson(complete(JSON.parse(json.toString()), mail)) : json;
}

/** Decompressed content whose JSON is not parsed yet. */
export interface OpenedContent {
  /** A ParsedContent. A text that is in the mail is absent; its range is under `text_range` or `html_range`. */
  json: Buffer;
  /** The mail that the ranges refer to; null if there are none. */
  mail: Buffer | null;
}

/** Decompresses content for a reader that needs only a part of it. Throws if the row is damaged. */
export function openContent(row: ContentColumns): OpenedContent {
  if (row.content_size === 0)
    return { json: zstdDecompressSync(row.content, { maxOutputLength: CONTENT_BYTES_MAX }), mail: null };
  const both = readOneFrame(row);
  return { json: both.subarray(0, row.content_size), mail: both.subarray(row.content_size) };
}

/** Returns the frame with the whole mail; null if the mail is in pieces. */
export function findWholeMail({ content, content_size, size, bytes }: MailColumns): StoredPiece | null {
  const frame = content_size > 0 ? content : bytes;
  return frame && { frame, content_size, size };
}

/** Returns the mail's bytes in a frame. Throws if it is damaged. */
export function readStoredPiece({ frame, content_size, size }: StoredPiece): Uint8Array {
  return content_size > 0
    ? readOneFrame({ content: frame, content_size, size }).subarray(content_size)
    : decompressStored(frame);
}

function readOneFrame({ content, content_size, size }: ContentColumns): Buffer {
  const both = viewBytes(decompressStored(content));
  if (both.length === content_size + size) return both;
  throw new Error(`a stored mail is damaged: ${both.length} bytes instead of ${content_size} and ${size}`);
}

function decompressStored(frame: Uint8Array): Uint8Array {
  return Bun.zstdDecompressSync(frame as Uint8Array<ArrayBuffer>);
}

/**
 * Decompresses a frame; null if it has more than `bytesMax` or is damaged. The parser process compressed the older
 * frames of content, and a mail may have taken that process over.
 */
function decompressUpTo(frame: Uint8Array, bytesMax: number): Uint8Array | null {
  try {
    return zstdDecompressSync(frame, { maxOutputLength: bytesMax });
  } catch {
    return null;
  }
}
