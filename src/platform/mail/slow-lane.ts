import type { AttachmentStream, MailParser, MessageText } from 'mailparser';
import { VALUE_CHARS_MAX } from './bounds.ts';
import { FrugalParser } from './frugal-parser.ts';
import { findLostParts } from './lost-parts.ts';
import type { MailRanges } from './mail-range.ts';
import type { AttachmentInfo } from './parsed.ts';
import type { HeaderLine } from './plain-headers.ts';
import { cutValue } from './text-bound.ts';

/* Reads any mail with mailparser. The fast lane (platform/mail/fast-lane.ts) reads most before that. */

/** Bytes passed to mailparser at a time. */
const PIECE_BYTES = 256 * 1024;

/** What is read from a mail, before any bound. */
export interface FoundMail {
  headers: Map<string, unknown>;
  written: WrittenFields;
  text: string;
  /** A bound cut the name, type or Content-ID of an attachment. */
  hasCutNames?: boolean;
  html: string;
  attachments: AttachmentInfo[];
  isCut: boolean;
  /** Where the texts are in the mail; absent where that is not known. */
  ranges?: MailRanges;
  /** It has a multipart without a part. */
  hasLostParts?: boolean;
}

/** The values of header fields as they are written, in their order. */
interface WrittenFields {
  /** mailparser substitutes the current date for one that it can't read. */
  date: string[];
  'x-tags': string[];
  'message-id': string[];
  'in-reply-to': string[];
  references: string[];
  /** mailparser keeps only the last. */
  from: string[];
}

/** The attachment whose bytes to keep; those of others are counted and dropped. */
interface Wanted {
  index: number;
  chunks: Uint8Array[];
}

export async function read(bytes: Uint8Array, wanted?: Wanted): Promise<FoundMail> {
  const found = await readAsDeclared(bytes, wanted);
  const mended = found.hasLostParts ? findLostParts(bytes) : null;
  return mended ? await readAsDeclared(mended, wanted) : found;
}

function readAsDeclared(bytes: Uint8Array, wanted?: Wanted): Promise<FoundMail> {
  return new Promise((resolve, reject) => {
    const found: FoundMail = {
      headers: new Map(),
      written: pickLines([]),
      text: '',
      html: '',
      attachments: [],
      isCut: false,
    };
    const parser = new FrugalParser();
    parser.on('error', reject);
    parser.on('headers', (headers: Map<string, unknown>) => {
      found.headers = headers;
    });
    parser.on('headerLines', (lines: HeaderLine[]) => {
      found.written = pickLines(lines);
    });
    parser.on('data', (part: AttachmentStream | MessageText) => {
      if (part.type === 'text') {
        found.text = part.text || '';
        found.html = typeof part.html === 'string' ? part.html : '';
        return;
      }
      const attachment = describe(part, found.attachments.length);
      found.attachments.push(attachment);
      if (hasLongName(part)) found.hasCutNames = true;
      part.content.on('data', (chunk: Uint8Array) => {
        attachment.size += chunk.length;
        if (wanted?.index === attachment.index) wanted.chunks.push(chunk);
      });
      part.content.on('end', () => part.release?.());
    });
    parser.on('end', () => {
      const { isCut, hasLostParts } = parser;
      resolve({ ...found, isCut, hasLostParts });
    });
    feed(parser, bytes);
  });
}

export function pickLines(lines: readonly HeaderLine[]): WrittenFields {
  const written: WrittenFields = {
    date: [],
    'x-tags': [],
    'message-id': [],
    'in-reply-to': [],
    references: [],
    from: [],
  };
  for (const { key, line } of lines) {
    if (Object.hasOwn(written, key)) written[key as keyof WrittenFields].push(line.slice(key.length + 1));
  }
  return written;
}

/** Feeds a large mail in pieces: given whole, the decoder would make several strings as large as the mail. */
function feed(parser: MailParser, bytes: Uint8Array, from = 0): void {
  let at = from;
  while (bytes.length - at > PIECE_BYTES) {
    at += PIECE_BYTES;
    if (parser.write(bytes.subarray(at - PIECE_BYTES, at))) continue;
    parser.once('drain', () => feed(parser, bytes, at));
    return;
  }
  parser.end(bytes.subarray(at));
}

function describe(part: AttachmentStream, index: number): AttachmentInfo {
  return {
    index,
    filename: part.filename ? cutValue(part.filename) : null,
    content_type: cutValue(part.contentType || 'application/octet-stream'),
    size: 0,
    content_id: part.cid ? cutValue(part.cid) : null,
    inline: part.contentDisposition === 'inline' || part.related === true,
  };
}

function hasLongName({ filename, contentType, cid }: AttachmentStream): boolean {
  return [filename, contentType, cid].some((name) => name && name.length > VALUE_CHARS_MAX);
}
