import type { AddressObject, AttachmentStream, EmailAddress, MailParser, MessageText } from 'mailparser';
import {
  ADDRESS_LIST_CHARS_MAX,
  ADDRESSES_MAX,
  ATTACHMENTS_MAX,
  BODY_CHARS_MAX,
  VALUE_CHARS_MAX,
} from './bounds.ts';
import { type Extracted, extract } from './extract/extract.ts';
import { readPlain } from './fast-lane.ts';
import { FrugalParser, HeaderReader } from './frugal-parser.ts';
import { readConversation, readShownId } from './message-ids.ts';
import type { AttachmentInfo, ParsedContent, ParsedSummary } from './parsed.ts';
import type { HeaderLine } from './plain-headers.ts';
import { forwardMarks, replyMarks } from './reply/quote-words.ts';
import { readReplyText } from './reply/reply-text.ts';
import { listSenders } from './senders.ts';
import { readSentAt } from './sent-at.ts';
import { cutSnippet } from './snippet.ts';
import { cutHeaders, cutStructure } from './structure.ts';
import { readTags } from './tags.ts';
import { cutBody } from './text-bound.ts';

/*
 * Parses a mail's bytes. Runs only in the parser process: a hostile mail may take long or use much memory, and the
 * process is then killed. If the whole mail can't be parsed, only its headers are.
 */

export interface ParsedMail {
  summary: ParsedSummary;
  content: ParsedContent;
}

/** Bytes passed to mailparser at a time. */
const PIECE_BYTES = 256 * 1024;

/**
 * Parses a whole mail; if that fails, only its headers, with status `failed`.
 *
 * @param mayBeFast False: never by the fast lane, for the test that compares the two.
 */
export async function parseMail(bytes: Uint8Array, mayBeFast = true): Promise<ParsedMail> {
  const { kept, cut } = cutStructure(bytes);
  try {
    const found = (mayBeFast ? readFast(kept) : null) ?? (await read(kept));
    return toMail(withoutMarks(found), 'parsed', cut || found.isCut);
  } catch {
    return parseHeaders(bytes);
  }
}

/** Some programs, .NET above all, write one before a text in UTF-8: it says how the bytes are encoded. */
const BYTE_ORDER_MARK = /^\ufeff/;

function withoutMarks(found: Found): Found {
  const { text, html } = found;
  return { ...found, text: text.replace(BYTE_ORDER_MARK, ''), html: html.replace(BYTE_ORDER_MARK, '') };
}

/** One for each process that parses. */
const headerReader = new HeaderReader();

/** Reads a mail by the fast lane; null when that can't, or throws. Exported for its test. */
export function readFast(bytes: Uint8Array): Found | null {
  try {
    const plain = readPlain(bytes, (lines) => headerReader.readAll(lines));
    return plain && { ...plain, written: pickLines(plain.lines), attachments: [], isCut: false };
  } catch {
    return null;
  }
}

const noBody = { text: '', html: '', attachments: [], isCut: true };

/** Parses only the first 64 KiB of headers, and of these 1,000 lines; status `failed`. Never throws. */
export async function parseHeaders(bytes: Uint8Array): Promise<ParsedMail> {
  try {
    const { headers, written } = await read(cutHeaders(bytes));
    return toMail({ headers, written, ...noBody }, 'failed', true);
  } catch {
    return toMail({ headers: new Map(), written: pickLines([]), ...noBody }, 'failed', true);
  }
}

/** An attachment's decoded bytes; null when there is none with that index or the mail can't be parsed. */
export async function readAttachment(bytes: Uint8Array, index: number): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  try {
    const found = await read(cutStructure(bytes).kept, { index, chunks });
    return index < found.attachments.length ? Buffer.concat(chunks) : null;
  } catch {
    return null;
  }
}

interface Found {
  headers: Map<string, unknown>;
  written: WrittenFields;
  text: string;
  /** A bound cut the name, type or Content-ID of an attachment. */
  hasCutNames?: boolean;
  html: string;
  attachments: AttachmentInfo[];
  isCut: boolean;
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

function read(bytes: Uint8Array, wanted?: Wanted): Promise<Found> {
  return new Promise((resolve, reject) => {
    const found: Found = {
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
    parser.on('end', () => resolve({ ...found, isCut: parser.isCut }));
    feed(parser, bytes);
  });
}

function pickLines(lines: readonly HeaderLine[]): WrittenFields {
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
    filename: part.filename ? cutText(part.filename) : null,
    content_type: cutText(part.contentType || 'application/octet-stream'),
    size: 0,
    content_id: part.cid ? cutText(part.cid) : null,
    inline: part.contentDisposition === 'inline' || part.related === true,
  };
}

function hasLongName({ filename, contentType, cid }: AttachmentStream): boolean {
  return [filename, contentType, cid].some((name) => name && name.length > VALUE_CHARS_MAX);
}

function toMail(found: Found, status: 'parsed' | 'failed', cut: boolean): ParsedMail {
  const { headers, written } = found;
  const to = listAddresses(headers.get('to'));
  const cc = listAddresses(headers.get('cc'));
  const text = cutBody(found.text);
  const html = cutBody(found.html);
  const attachments = found.attachments.slice(0, ATTACHMENTS_MAX);
  const [senders, answered] = [listAddresses(headers.get('from')), listAddresses(headers.get('reply-to'))];
  const values = {
    from: senders.list.join(', '),
    reply_to: answered.list.join(', '),
    subject: readText(headers.get('subject')),
    message_id: readShownId(readText(headers.get('message-id'))),
  };
  const [from, subject] = [cutText(values.from), cutText(values.subject)];
  const { placing, ...conversation } = readConversation(written);
  const read = readOut({ subject, from, text, html });
  const shortened =
    text.length < found.text.length ||
    html.length < found.html.length ||
    [to, cc, senders, answered].some((addresses) => addresses.cut) ||
    Object.values(values).some((value) => value.length > VALUE_CHARS_MAX) ||
    found.hasCutNames === true ||
    read.linksCut;
  return {
    summary: {
      status,
      from,
      ...listSenders(headers.get('from'), written.from, (lines) => headerReader.readAll(lines)),
      to: to.list,
      cc: cc.list,
      subject,
      otp: read.otp,
      otp_confidence: read.otp_confidence,
      magic_link: read.magic_link,
      links: read.links,
      has_html: html !== '',
      attachment_count: attachments.length,
      tags: readTags(written['x-tags']),
      snippet: cutSnippet({ text, html }),
      ...placing,
    },
    content: {
      message_id: cutText(values.message_id) || null,
      reply_to: cutText(values.reply_to) || null,
      answer_to: answered.list.length > 0 ? answered.list : senders.list,
      ...conversation,
      ...readOwnText({ text, html, subject, refs: placing.refs }),
      sent_at: readSentAt(written.date.at(-1)),
      text,
      html,
      otp_context: read.otp_context,
      otp_candidates: read.otp_candidates,
      otp_reason: read.otp_reason,
      magic_link_reason: read.magic_link_reason,
      attachments,
      truncated: cut || shortened || attachments.length < found.attachments.length,
    },
  };
}

/** A reply's own text; absent when that is the whole text. An error here loses only `reply_text`. */
function readOwnText(mail: {
  text: string;
  html: string;
  subject: string;
  refs: readonly number[];
}): Pick<ParsedContent, 'reply_text'> {
  if (mail.refs.length === 0 && !replyMarks.test(mail.subject)) return {};
  try {
    const own = readReplyText(mail, forwardMarks.test(mail.subject)).slice(0, BODY_CHARS_MAX).toWellFormed();
    return own === mail.text ? {} : { reply_text: own };
  } catch {
    return {};
  }
}

/** Extracts code and link; an error there loses only them, not the mail. */
function readOut(mail: Parameters<typeof extract>[0]): Extracted {
  try {
    return extract(mail);
  } catch {
    return {
      otp: null,
      otp_confidence: 0,
      otp_context: null,
      otp_candidates: [],
      otp_reason: null,
      magic_link: null,
      magic_link_reason: null,
      links: [],
      linksCut: true,
    };
  }
}

/** The decoded addresses of a header, each as `Name <addr>`; groups are replaced by their members. */
function listAddresses(header: unknown): { list: string[]; cut: boolean } {
  const list: string[] = [];
  let chars = 0;
  let cut = false;
  for (const value of [header].flat()) {
    for (const entry of (value as AddressObject | undefined)?.value ?? []) {
      for (const written of (entry.group?.length ? entry.group : [entry]).map(formatAddress)) {
        const address = cutText(written);
        cut ||= written.length > VALUE_CHARS_MAX;
        chars += address.length;
        if (list.length >= ADDRESSES_MAX || chars > ADDRESS_LIST_CHARS_MAX) return { list, cut: true };
        if (address !== '') list.push(address);
      }
    }
  }
  return { list, cut };
}

function formatAddress({ name, address }: EmailAddress): string {
  if (!name || !address) return name || address || '';
  return `${name} <${address}>`;
}

function readText(header: unknown): string {
  const value = Array.isArray(header) ? header.at(-1) : header;
  return typeof value === 'string' ? value.trim() : '';
}

/**
 * Characters that an encoded word can hide in a field of one line, above all line ends; not the tab of a folded field.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced.
const CONTROLS = /[\x00-\x08\x0a-\x1f\x7f]+/g;

/**
 * Makes it well-formed, because a lone surrogate can't be stored or sent as UTF-8. Makes it one line: otherwise a
 * client that puts a subject or a sender into a log, a header or a chat message would let the sender write lines of
 * their own.
 */
function cutText(text: string): string {
  const kept = text.slice(0, VALUE_CHARS_MAX).toWellFormed();
  const line = kept.replace(CONTROLS, ' ');
  return line === kept ? kept : line.trim();
}
