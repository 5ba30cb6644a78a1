import type { AttachmentStream, MailParser, MessageText } from 'mailparser';
import { VALUE_CHARS_MAX } from '../bounds.ts';
import type { AttachmentInfo } from '../parsed.ts';
import { type FoundMail, type HeaderLine, pickWrittenFields } from './found-mail.ts';
import { LenientParser } from './lenient-parser.ts';
import { repairLostParts } from './lost-parts.ts';
import { cutValue } from './text-bound.ts';

/* The slow lane: reads any mail, with mailparser. Most mail never gets here (platform/mail/mime/fast-lane.ts). */

/** Bytes passed to mailparser at a time. */
const PIECE_BYTES = 256 * 1024;

/** Reads a mail. Rejects when mailparser does. */
export async function readSlow(bytes: Uint8Array): Promise<FoundMail> {
  const { found } = await readRepaired(bytes, null);
  return found;
}

/** Returns an attachment's decoded bytes; null if there is none with that index. Rejects when mailparser does. */
export async function readSlowAttachment(bytes: Uint8Array, index: number): Promise<Uint8Array | null> {
  const { found, chunks } = await readRepaired(bytes, index);
  return index < found.attachments.length ? Buffer.concat(chunks) : null;
}

interface Reading {
  found: FoundMail;
  /** The bytes of the wanted attachment. Those of others are counted and dropped. */
  chunks: Uint8Array[];
  hasLostParts: boolean;
}

/** Reads a mail; if it has multiparts without a part, reads it once more, repaired. */
async function readRepaired(bytes: Uint8Array, wantedIndex: number | null): Promise<Reading> {
  const reading = await readAsDeclared(bytes, wantedIndex);
  const repaired = reading.hasLostParts ? repairLostParts(bytes) : null;
  return repaired ? await readAsDeclared(repaired, wantedIndex) : reading;
}

function readAsDeclared(bytes: Uint8Array, wantedIndex: number | null): Promise<Reading> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    const found: FoundMail = {
      headers: new Map(),
      written: pickWrittenFields([]),
      text: '',
      html: '',
      attachments: [],
      isCut: false,
    };
    const parser = new LenientParser();
    parser.on('error', reject);
    parser.on('headers', (headers: Map<string, unknown>) => {
      found.headers = headers;
    });
    parser.on('headerLines', (lines: HeaderLine[]) => {
      found.written = pickWrittenFields(lines);
    });
    parser.on('data', (part: AttachmentStream | MessageText) => {
      if (part.type === 'text') {
        found.text = part.text || '';
        found.html = typeof part.html === 'string' ? part.html : '';
        return;
      }
      const attachment = describeAttachment(part, found.attachments.length);
      found.attachments.push(attachment);
      if (hasLongName(part)) found.hasCutNames = true;
      part.content.on('data', (chunk: Uint8Array) => {
        attachment.size += chunk.length;
        if (attachment.index === wantedIndex) chunks.push(chunk);
      });
      part.content.on('end', () => part.release?.());
    });
    parser.on('end', () => {
      const { isCut, hasLostParts } = parser;
      resolve({ found: { ...found, isCut }, chunks, hasLostParts });
    });
    feed(parser, bytes);
  });
}

/** Feeds a large mail in pieces: from the whole, the decoder would make several strings as large as the mail. */
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

function describeAttachment(part: AttachmentStream, index: number): AttachmentInfo {
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
