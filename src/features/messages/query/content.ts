import { stripHtml } from '../../../platform/mail/html/strip-html.ts';
import { type MailRange, readRange } from '../../../platform/mail/mail-range.ts';
import type { AttachmentInfo, ParsedContent } from '../../../platform/mail/parsed.ts';
import { type ContentColumns, type OpenedContent, openContent } from '../../../platform/mail/stored-mail.ts';
import { cutField, type SearchedContent } from './document.ts';

/*
 * Reads the parts of a mail's content that are searched. The content may have two million characters, which take 10 ms
 * to parse, so only these parts of the JSON are parsed. Text can't be mistaken for a key, because in a JSON string each
 * quote has a backslash before it.
 */

/** Bytes of JSON that are read of the text, and of the HTML, which begins with its styles. */
const TEXT_BYTES = 32 * 1024;
const HTML_BYTES = 128 * 1024;

const TEXTS = { text: Buffer.from(',"text":"'), html: Buffer.from(',"html":"') };
const RANGES = { text: Buffer.from(',"text_range":['), html: Buffer.from(',"html_range":[') };
const ATTACHMENTS = Buffer.from(',"attachments":[');
const AFTER_ATTACHMENTS = Buffer.from('],"truncated":');

/** The content of a mail that is missing or damaged. */
export const NO_CONTENT: SearchedContent = { body: '', filename: '' };

/**
 * Reads the searched content of a mail. A damaged mail has none, so that it does not keep later mails out of the index.
 */
export function readSearchedContent(row: ContentColumns, attachmentCount: number): SearchedContent {
  try {
    return readParts(openContent(row), attachmentCount);
  } catch {
    return NO_CONTENT;
  }
}

function readParts(content: OpenedContent, attachmentCount: number): SearchedContent {
  const text = readText(content, 'text', TEXT_BYTES);
  const body = text.trim() === '' ? stripHtml(readText(content, 'html', HTML_BYTES)) : text;
  const names = attachmentCount === 0 ? '' : readNames(content.json);
  return { body: cutField('body', body), filename: cutField('filename', names) };
}

/** Reads the beginning of a text, which is either in the JSON or in the mail itself. */
function readText({ json, mail }: OpenedContent, name: 'text' | 'html', bytesMax: number): string {
  const at = mail ? json.indexOf(RANGES[name]) : -1;
  if (!mail || at < 0) return readString(json, TEXTS[name], bytesMax);
  const opening = at + RANGES[name].length - 1;
  const written = json.subarray(opening, json.indexOf(']', opening) + 1);
  const [from, to] = JSON.parse(written.toString()) as MailRange;
  return readRange(mail, [from, Math.min(to, from + bytesMax)]);
}

/** Reads the beginning of the string that follows a key. */
function readString(json: Buffer, key: Buffer, bytesMax: number): string {
  const at = json.indexOf(key);
  if (at < 0) return '';
  const from = at + key.length;
  const written = json.subarray(from, from + bytesMax).toString();
  const [whole] = /^(?:[^"\\]+|\\u[0-9a-fA-F]{4}|\\[^u])*/.exec(written)!;
  return JSON.parse(`"${whole}"`) as string;
}

function readNames(json: Buffer): string {
  const from = json.lastIndexOf(ATTACHMENTS);
  const to = json.lastIndexOf(AFTER_ATTACHMENTS);
  const attachments: Pick<AttachmentInfo, 'filename'>[] =
    from < 0 || to < from
      ? (JSON.parse(json.toString()) as ParsedContent).attachments
      : JSON.parse(json.subarray(from + ATTACHMENTS.length - 1, to + 1).toString());
  return attachments.map(({ filename }) => filename ?? '').join('\u0001\u0001');
}
