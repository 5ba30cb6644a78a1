import type { AddressObject, EmailAddress } from 'mailparser';
import {
  ADDRESS_LIST_CHARS_MAX,
  ADDRESSES_MAX,
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
import type { ParsedContent, ParsedSummary } from './parsed.ts';
import { forwardMarks, replyMarks } from './reply/quote-words.ts';
import { readReplyText } from './reply/reply-text.ts';
import { listSenders } from './senders.ts';
import { readSentAt } from './sent-at.ts';
import { cutSnippet } from './snippet.ts';
import { cutHeaders, cutStructure } from './structure.ts';
import { readTags } from './tags.ts';

/*
 * Parses a mail's bytes. Runs only in the parser process: a hostile mail may take long or use much memory, and the
 * process is then killed. If the whole mail can't be parsed, only its headers are.
 */

export interface ParsedMail {
  summary: ParsedSummary;
  content: ParsedContent;
  /** Absent where that is not known. */
  ranges?: MailRanges;
}

/**
 * Parses a whole mail; if that fails, only its headers, with status `failed`.
 *
 * @param mayBeFast False: never by the fast lane, for the test that compares the two.
 */
export async function parseMail(bytes: Uint8Array, mayBeFast = true): Promise<ParsedMail> {
  const { kept, cut } = cutStructure(bytes);
  try {
    const found = (mayBeFast ? readFast(kept) : null) ?? (await readSlow(kept));
    return toMail(tidyTexts(found), 'parsed', cut || found.isCut);
  } catch {
    return parseHeaders(bytes);
  }
}

/** Some programs, .NET above all, write one before a text in UTF-8: it says how the bytes are encoded. */
const BYTE_ORDER_MARK = /^\ufeff/;

function tidyTexts(found: FoundMail): FoundMail {
  return { ...found, text: tidyText(found.text), html: tidyText(found.html) };
}

/** Without its byte order mark, and with LF where carriage returns alone end lines. */
function tidyText(text: string): string {
  const own = text.replace(BYTE_ORDER_MARK, '');
  return own.includes('\r') ? own.replace(/\r+\n?/g, '\n') : own;
}

/** One for each process that parses. */
const headerReader = new HeaderReader();

/** Reads a mail by the fast lane; null when that can't, or throws. Exported for its test. */
export function readFast(bytes: Uint8Array): FoundMail | null {
  try {
    const plain = readPlain(bytes, (lines) => headerReader.readAll(lines));
    return plain && { ...plain, written: pickWrittenFields(plain.lines), attachments: [], isCut: false };
  } catch {
    return null;
  }
}

const noBody = { text: '', html: '', attachments: [], isCut: true };

/** Parses only the first 64 KiB of headers, and of these 1,000 lines; status `failed`. Never throws. */
export async function parseHeaders(bytes: Uint8Array): Promise<ParsedMail> {
  try {
    const { headers, written } = await readSlow(cutHeaders(bytes));
    return toMail({ headers, written, ...noBody }, 'failed', true);
  } catch {
    return toMail({ headers: new Map(), written: pickWrittenFields([]), ...noBody }, 'failed', true);
  }
}

/** An attachment's decoded bytes; null when there is none with that index or the mail can't be parsed. */
export async function readAttachment(bytes: Uint8Array, index: number): Promise<Uint8Array | null> {
  try {
    return await readSlowAttachment(cutStructure(bytes).kept, index);
  } catch {
    return null;
  }
}

function toMail(found: FoundMail, status: 'parsed' | 'failed', cut: boolean): ParsedMail {
  const { headers, written } = found;
  const to = listAddresses(headers.get('to'));
  const cc = listAddresses(headers.get('cc'));
  const [text, html] = [cutBody(found.text), cutBody(found.html)];
  const attachments = found.attachments.slice(0, ATTACHMENTS_MAX);
  const [senders, answered] = [listAddresses(headers.get('from')), listAddresses(headers.get('reply-to'))];
  const values = {
    from: senders.list.join(', '),
    reply_to: answered.list.join(', '),
    subject: readHeaderText(headers.get('subject')),
    message_id: readShownId(readHeaderText(headers.get('message-id'))),
  };
  const [from, subject] = [cutValue(values.from), cutValue(values.subject)];
  const { placing, ...conversation } = readConversation(written);
  const extracted = extractSafely({ subject, from, text, html });
  const shortened =
    text.length < found.text.length ||
    html.length < found.html.length ||
    [to, cc, senders, answered].some((addresses) => addresses.cut) ||
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
      magic_link: extracted.magic_link,
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
      answer_to: answered.list.length > 0 ? answered.list : senders.list,
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

/** Where text and HTML are in the mail, as far as they are stored whole. */
function pickRanges({ text, html, ranges }: FoundMail, stored: { text: string; html: string }) {
  if (!ranges) return ranges;
  return { text: stored.text === text ? ranges.text : null, html: stored.html === html ? ranges.html : null };
}

/** A reply's own text; absent when that is the whole text. An error here loses only `reply_text`. */
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

/** Extracts code and link; an error there loses only them, not the mail. */
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

/** The decoded addresses of a header, each as `Name <addr>`; groups are replaced by their members. */
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
