/**
 * How a mail is stored (table `raw`): its bytes, and the JSON of its parsed content (ParsedContent). The text is in
 * both, so a small mail has one zstd frame with the JSON and then the bytes: together they take little more than one
 * of them. The JSON only points to a text that is in the bytes unencoded. A larger mail has a frame for each,
 * because its content is read without its bytes. Mails that older versions stored have two frames too. Only this file
 * knows the forms.
 */
import { zstdDecompressSync } from 'node:zlib';
import { type MailRange, type MailRanges, readRange } from './mail-range.ts';
import type { ParsedContent } from './parsed.ts';

/** Bytes of a mail up to which it has one frame: reading the content of such a mail takes 0.3 ms longer at most. */
export const ONE_FRAME_MAIL_BYTES = 64 * 1024;
/** Bytes of JSON up to which it may share the frame: the writer thread compresses as much in a millisecond. */
export const ONE_FRAME_CONTENT_BYTES = 256 * 1024;
/**
 * Bytes of JSON that are read at most. The bounds on texts (platform/mail/bounds.ts) allow a fifth of it. The parser
 * compresses the content of a larger mail, and a mail that took the parser over could pack 1 GB into 30 KB, which would
 * block the main thread.
 */
const CONTENT_BYTES_MAX = 64 * 1024 * 1024;
/** zstd's fastest level compresses 5 KB of mail to a third in 50 µs. */
const ZSTD_LEVEL = 1;

/** Content as JSON in one frame with the mail: a text that is absent is in the mail, at its range. */
type ShortContent = Omit<ParsedContent, 'text' | 'html'> &
  Partial<Pick<ParsedContent, 'text' | 'html'>> & { text_range?: MailRange; html_range?: MailRange };

/** What the parser made of a mail: JSON if it is small enough for one frame, else already compressed. */
export interface GivenContent {
  content: Uint8Array;
  isJson: boolean;
}

/** The columns from which the content is read. */
export interface ContentColumns {
  /** The frame of the content; if the mail has only one frame, that one. */
  content: Uint8Array;
  /** Bytes of JSON at the start of the one frame; 0 means that the mail's bytes are elsewhere. */
  content_size: number;
  /** Bytes of the mail. */
  size: number;
}

/** The columns from which the bytes are read. `bytes` null: they are in the one frame, or in pieces (raw_chunk). */
export interface MailColumns extends ContentColumns {
  bytes: Uint8Array | null;
}

/** A frame with bytes of a mail: all or a piece of them. The JSON of a mail with one frame comes first. */
export interface StoredPiece {
  frame: Uint8Array;
  content_size: number;
  /** Bytes of the whole mail, even if this is only a piece of it. */
  size: number;
}

/** Whether a mail and its content are small enough for one frame. */
export function fitsOneFrame(mailBytes: number, contentBytes: number): boolean {
  return mailBytes <= ONE_FRAME_MAIL_BYTES && contentBytes <= ONE_FRAME_CONTENT_BYTES;
}

/** The form in which the parser hands on what it read. @param mailBytes the size of the mail */
export function giveContent(
  content: ParsedContent,
  ranges: MailRanges | undefined,
  mailBytes: number,
): GivenContent {
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

/** @param mail null when the content is read without it, and so has no ranges */
function complete({ text_range, html_range, ...short }: ShortContent, mail: Buffer | null): ParsedContent {
  const read = (range: MailRange | undefined) => (mail && range ? readRange(mail, range) : '');
  return { ...short, text: short.text ?? read(text_range), html: short.html ?? read(html_range) };
}

export function compressStored(bytes: Uint8Array): Uint8Array {
  return Bun.zstdCompressSync(bytes as Uint8Array<ArrayBuffer>, { level: ZSTD_LEVEL });
}

/** The parts of a frame are joined here, one mail after the other: new memory for each costs a tenth of storing it. */
const joined = Buffer.allocUnsafeSlow(ONE_FRAME_CONTENT_BYTES + ONE_FRAME_MAIL_BYTES);

function compressTogether(content: Uint8Array, mail: Uint8Array): Uint8Array {
  joined.set(content);
  joined.set(mail, content.length);
  return compressStored(joined.subarray(0, content.length + mail.length));
}

/** The content of a mail whose bytes are in pieces. */
export function packContent({ content, isJson }: GivenContent): Uint8Array {
  return isJson ? compressStored(content) : content;
}

export function packMail(given: GivenContent, mail: Uint8Array): Omit<MailColumns, 'size'> {
  const { content, isJson } = given;
  if (isJson && content.length > 0 && fitsOneFrame(mail.length, content.length))
    return { content: compressTogether(content, mail), content_size: content.length, bytes: null };
  return { content: packContent(given), content_size: 0, bytes: compressStored(mail) };
}

/** The new form of a mail with two frames; null when that is not smaller, or the mail is damaged or too large. */
export function repackMail(old: MailColumns): Omit<MailColumns, 'size'> | null {
  if (old.bytes === null || old.content_size > 0 || old.size > ONE_FRAME_MAIL_BYTES) return null;
  const content = decompressUpTo(old.content, ONE_FRAME_CONTENT_BYTES);
  const mail = decompressUpTo(old.bytes, ONE_FRAME_MAIL_BYTES);
  if (!content || mail?.length !== old.size) return null;
  const packed = packMail({ content, isJson: true }, mail);
  if (packed.bytes !== null || packed.content.length >= old.content.length + old.bytes.length) return null;
  // The old form is lost with this, so the new one is read first.
  return readOneFrame({ ...packed, size: old.size }).equals(joinBytes(content, mail)) ? packed : null;
}

/** Throws when the row is damaged. */
export function readContent(row: ContentColumns): ParsedContent {
  const { json, mail } = openContent(row);
  return complete(JSON.parse(json.toString()), mail);
}

/** The content of a mail that is not stored. */
export function readGiven({ content, isJson }: GivenContent, mail: Uint8Array): ParsedContent {
  const json = isJson ? view(content) : zstdDecompressSync(content, { maxOutputLength: CONTENT_BYTES_MAX });
  return complete(JSON.parse(json.toString()), view(mail));
}

const RANGE = '_range":[';

/** The JSON of readContent. */
export function readContentJson(row: ContentColumns): Buffer {
  const { json, mail } = openContent(row);
  return mail && json.includes(RANGE) ? encodeJson(complete(JSON.parse(json.toString()), mail)) : json;
}

/** Content as it is stored. */
export interface OpenedContent {
  /** Of ParsedContent; but without a text that is in the mail, it has a range under `text_range` or `html_range`. */
  json: Buffer;
  /** The mail that the ranges are of; null when there are none. */
  mail: Buffer | null;
}

/** For readers that need only a part of the content. Throws when the row is damaged. */
export function openContent(row: ContentColumns): OpenedContent {
  if (row.content_size === 0)
    return { json: zstdDecompressSync(row.content, { maxOutputLength: CONTENT_BYTES_MAX }), mail: null };
  const both = readOneFrame(row);
  return { json: both.subarray(0, row.content_size), mail: both.subarray(row.content_size) };
}

/** The frame with the whole mail; null when it is in pieces. */
export function findWholeMail({ content, content_size, size, bytes }: MailColumns): StoredPiece | null {
  const frame = content_size > 0 ? content : bytes;
  return frame && { frame, content_size, size };
}

/** The bytes of the mail in a frame. Throws when it is damaged. */
export function readStoredPiece({ frame, content_size, size }: StoredPiece): Uint8Array {
  return content_size > 0
    ? readOneFrame({ content: frame, content_size, size }).subarray(content_size)
    : decompressStored(frame);
}

function readOneFrame({ content, content_size, size }: ContentColumns): Buffer {
  const both = view(decompressStored(content));
  if (both.length === content_size + size) return both;
  throw new Error(`a stored mail is damaged: ${both.length} bytes instead of ${content_size} and ${size}`);
}

function decompressStored(frame: Uint8Array): Uint8Array {
  return Bun.zstdDecompressSync(frame as Uint8Array<ArrayBuffer>);
}

/** Null when it is more or damaged. The parser made older frames of content, and a mail may have taken it over. */
function decompressUpTo(frame: Uint8Array, bytesMax: number): Uint8Array | null {
  try {
    return zstdDecompressSync(frame, { maxOutputLength: bytesMax });
  } catch {
    return null;
  }
}

function joinBytes(one: Uint8Array, other: Uint8Array): Buffer {
  return Buffer.concat([one, other]);
}

function view(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
