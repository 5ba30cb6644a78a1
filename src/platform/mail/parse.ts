import type { AddressObject, EmailAddress } from 'mailparser';
import {
  ADDRESS_LIST_CHARS_MAX,
  ADDRESSES_MAX,
  ATTACHMENT_CHARS_MAX,
  ATTACHMENTS_MAX,
  BODY_CHARS_MAX,
  VALUE_CHARS_MAX,
} from './bounds.ts';
import { type Extracted, extract } from './extract/extract.ts';
import type { MailRanges } from './mail-range.ts';
import { readConversation, readShownId } from './message-ids.ts';
import { readPlain } from './mime/fast-lane.ts';
import { type FoundMail, pickWrittenFields } from './mime/found-mail.ts';
import { HeaderReader } from './mime/lenient-parser.ts';
import { readSlow, readSlowAttachment } from './mime/slow-lane.ts';
import { cutBody, cutValue } from './mime/text-bound.ts';
import type { AttachmentInfo, ParsedContent, ParsedSummary } from './parsed.ts';
import { readReplyText } from './reply/reply-text.ts';
import { listSenders } from './senders.ts';
import { readSentAt } from './sent-at.ts';
import { cutSnippet } from './snippet.ts';
import { cutHeaders, cutStructure } from './structure.ts';
import { forwardMarks, replyMarks } from './subject-marks.ts';
import { readTags } from './tags.ts';

/*
 * Parses a mail's bytes into what is stored and shown. Where each step is decided:
 *
 * 1. structure.ts cuts off a multipart with too many parts or levels.
 * 2. Header values, texts and attachments come from one of two lanes in mime/. The fast lane reads mail of the common
 *    shapes in one go, and leaves all other mail to the slow lane, which is mailparser. Both return the same, and
 *    both decide charsets in mime/charset.ts.
 * 3. extract/extract.ts finds the one-time code and the magic link, and reply/reply-text.ts cuts off what a reply
 *    quotes.
 * 4. mime/text-bound.ts cuts everything that is kept to the bounds of bounds.ts.
 *
 * Runs only in the parser process, because a hostile mail may take long or use much memory. The process is then
 * killed, and another one parses only the headers.
 */

export interface ParsedMail {
  summary: ParsedSummary;
  content: ParsedContent;
  /** Where the stored texts are in the mail; absent if that is not known. */
  ranges?: MailRanges;
}

/** Parses a whole mail; if that fails, only its headers, with status `failed`. */
export function parseMail(bytes: Uint8Array): Promise<ParsedMail> {
  return parseIn(readInAnyLane, bytes);
}

/** Parses a whole mail in the slow lane. Exported for the tests that compare both lanes. */
export function parseSlowly(bytes: Uint8Array): Promise<ParsedMail> {
  return parseIn(readSlow, bytes);
}

const readInAnyLane = (bytes: Uint8Array) => readFast(bytes) ?? readSlow(bytes);

async function parseIn(
  lane: (bytes: Uint8Array) => FoundMail | Promise<FoundMail>,
  bytes: Uint8Array,
): Promise<ParsedMail> {
  const { kept, cut } = cutStructure(bytes);
  try {
    const found = await lane(kept);
    return toMail(tidyTexts(found), 'parsed', cut || found.isCut);
  } catch {
    return parseHeaders(bytes);
  }
}

/** Parses only the headers, at most the first 64 KiB and 1,000 lines of them; status `failed`. Never rejects. */
export async function parseHeaders(bytes: Uint8Array): Promise<ParsedMail> {
  try {
    const { headers, written } = await readSlow(cutHeaders(bytes));
    return toMail({ headers, written, ...noBody }, 'failed', true);
  } catch {
    return toMail({ headers: new Map(), written: pickWrittenFields([]), ...noBody }, 'failed', true);
  }
}

const noBody = { text: '', html: '', attachments: [], isCut: true };

/** Returns an attachment's decoded bytes; null if there is none with that index or the mail can't be parsed. */
export async function readAttachment(bytes: Uint8Array, index: number): Promise<Uint8Array | null> {
  try {
    return await readSlowAttachment(cutStructure(bytes).kept, index);
  } catch {
    return null;
  }
}

/** One for the whole process, because creating a parser takes time. */
const headerReader = new HeaderReader();

/** Reads a mail in the fast lane; null if that leaves it to the slow lane, or throws. Exported for its test. */
export function readFast(bytes: Uint8Array): FoundMail | null {
  try {
    const plain = readPlain(bytes, (lines) => headerReader.readAll(lines));
    return plain && { ...plain, written: pickWrittenFields(plain.lines), attachments: [], isCut: false };
  } catch {
    return null;
  }
}

function tidyTexts(found: FoundMail): FoundMail {
  return { ...found, text: tidyText(found.text), html: tidyText(found.html) };
}

/** Some programs, most of all .NET, put one before a text in UTF-8. It only marks the encoding. */
const BYTE_ORDER_MARK = /^\ufeff/;

/** Removes the byte order mark, and ends lines with LF where bare carriage returns end them. */
function tidyText(text: string): string {
  const own = text.replace(BYTE_ORDER_MARK, '');
  return own.includes('\r') ? own.replace(/\r+\n?/g, '\n') : own;
}

function toMail(found: FoundMail, status: 'parsed' | 'failed', cut: boolean): ParsedMail {
  const { headers, written } = found;
  const to = listAddresses(headers.get('to'));
  const cc = listAddresses(headers.get('cc'));
  const [text, html] = [cutBody(found.text), cutBody(found.html)];
  const attachments = cutAttachments(found.attachments);
  const [senders, replyTo] = [listAddresses(headers.get('from')), listAddresses(headers.get('reply-to'))];
  const values = {
    from: senders.list.join(', '),
    reply_to: replyTo.list.join(', '),
    subject: readHeaderText(headers.get('subject')),
    message_id: readShownId(readHeaderText(headers.get('message-id'))),
  };
  const [from, subject] = [cutValue(values.from), cutValue(values.subject)];
  const { placing, ...conversation } = readConversation(written);
  const extracted = extractSafely({ subject, from, text, html });
  const shortened =
    text.length < found.text.length ||
    html.length < found.html.length ||
    [to, cc, senders, replyTo].some((addresses) => addresses.cut) ||
    Object.values(values).some((value) => value.length > VALUE_CHARS_MAX) ||
    found.hasCutNames === true ||
    extracted.linksCut;
  return {
    summary: {
      status,
      from,
      ...listSenders(headers.get('from'), written.from, (lines) => headerReader.readAll(lines)),
      to: to.list,
      cc: cc.list,
      subject,
      otp: extracted.otp,
      otp_confidence: extracted.otp_confidence,
      magic_link: extracted.magic_link?.toWellFormed() ?? null,
      links: extracted.links,
      has_html: html !== '',
      attachment_count: attachments.length,
      tags: readTags(written['x-tags']),
      snippet: cutSnippet({ text, html }),
      ...placing,
    },
    content: {
      message_id: cutValue(values.message_id) || null,
      reply_to: cutValue(values.reply_to) || null,
      answer_to: replyTo.list.length > 0 ? replyTo.list : senders.list,
      ...conversation,
      ...readReply({ text, html, subject, refs: placing.refs }),
      sent_at: readSentAt(written.date.at(-1)),
      text,
      html,
      otp_context: extracted.otp_context,
      otp_candidates: extracted.otp_candidates,
      otp_reason: extracted.otp_reason,
      magic_link_reason: extracted.magic_link_reason,
      attachments,
      truncated: cut || shortened || attachments.length < found.attachments.length,
    },
    ranges: pickRanges(found, { text, html }),
  };
}

/** Keeps the first attachments, up to the bounds. */
function cutAttachments(found: readonly AttachmentInfo[]): AttachmentInfo[] {
  let chars = 0;
  const beyond = found.findIndex(({ filename, content_type, content_id }, index) => {
    chars += (filename ?? '').length + content_type.length + (content_id ?? '').length;
    return index >= ATTACHMENTS_MAX || chars > ATTACHMENT_CHARS_MAX;
  });
  return found.slice(0, beyond < 0 ? found.length : beyond);
}

/** Keeps the ranges of the texts that are stored whole. */
function pickRanges({ text, html, ranges }: FoundMail, stored: { text: string; html: string }) {
  if (!ranges) return ranges;
  return { text: stored.text === text ? ranges.text : null, html: stored.html === html ? ranges.html : null };
}

/** Returns a reply's own text; nothing if that is the whole text. An error here loses only `reply_text`. */
function readReply(mail: {
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

/** Extracts code and link. An error here loses only them, not the mail. */
function extractSafely(mail: Parameters<typeof extract>[0]): Extracted {
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

/** Lists the decoded addresses of a header, each as `Name <addr>`. Groups are replaced by their members. */
function listAddresses(header: unknown): { list: string[]; cut: boolean } {
  const list: string[] = [];
  let chars = 0;
  let cut = false;
  for (const value of [header].flat()) {
    for (const entry of (value as AddressObject | undefined)?.value ?? []) {
      for (const written of (entry.group?.length ? entry.group : [entry]).map(formatAddress)) {
        const address = cutValue(written);
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

function readHeaderText(header: unknown): string {
  const value = Array.isArray(header) ? header.at(-1) : header;
  return typeof value === 'string' ? value.trim() : '';
}
