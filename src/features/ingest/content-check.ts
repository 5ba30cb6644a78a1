import {
  ADDRESSES_MAX,
  ATTACHMENTS_MAX,
  BODY_CHARS_MAX,
  CANDIDATES_MAX,
  CODE_CHARS_MAX,
  CONTEXT_CHARS_MAX,
  REFERENCES_MAX,
  VALUE_CHARS_MAX,
} from '../../platform/mail/bounds.ts';
import { MESSAGE_ID_CHARS_MAX } from '../../platform/mail/message-ids.ts';
import type { AttachmentInfo, ParsedContent } from '../../platform/mail/parsed.ts';
import type { ShortContent } from '../../platform/mail/stored-mail.ts';
import {
  isBoolean,
  isCount,
  isLine,
  isListOf,
  isOrNull,
  isRecord,
  isShare,
  isText,
  type ValueCheck,
} from './value-checks.ts';

/*
 * Checks the content in a parser process's answer, before it is stored: every later reader of the mail relies on its
 * form. It has exactly the bounds that the parser keeps (platform/mail/parse.ts).
 */

/** More than the largest mail that a server can be set to accept. */
const ATTACHMENT_BYTES_MAX = 1024 ** 3;
/** Up to three words of rules/extraction-reasons.ts. */
const REASON_CHARS_MAX = 200;
/** A code of its own length may stand in a context. */
const AROUND_CHARS_MAX = CONTEXT_CHARS_MAX + CODE_CHARS_MAX;

const isValue = isOrNull(isLine(VALUE_CHARS_MAX));
const isMessageId = isText(MESSAGE_ID_CHARS_MAX);
const isBody = isText(BODY_CHARS_MAX);
const isReason = isOrNull(isLine(REASON_CHARS_MAX));
const isTimeForm = isText(27, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
/** An ISO time. Month 13 has the form, but no reader could make a date of it. */
const isTime: ValueCheck = (value) => isTimeForm(value) && Number.isFinite(Date.parse(value as string));

const isRange: ValueCheck = (value) =>
  Array.isArray(value) && value.length === 2 && value.every(isCount()) && value[0] <= value[1];

const attachment: Record<keyof AttachmentInfo, ValueCheck> = {
  index: isCount(ATTACHMENTS_MAX),
  filename: isValue,
  content_type: isLine(VALUE_CHARS_MAX),
  size: isCount(ATTACHMENT_BYTES_MAX),
  content_id: isValue,
  inline: isBoolean,
};

const candidate = {
  code: isLine(CODE_CHARS_MAX),
  confidence: isShare,
  context: isText(AROUND_CHARS_MAX),
};

type Optional =
  | 'answer_to'
  | 'in_reply_to'
  | 'references'
  | 'reply_text'
  | 'otp_reason'
  | 'magic_link_reason';

const required: Record<Exclude<keyof ParsedContent, Optional | 'text' | 'html'>, ValueCheck> = {
  message_id: isValue,
  reply_to: isValue,
  sent_at: isOrNull(isTime),
  otp_context: isOrNull(isText(AROUND_CHARS_MAX)),
  otp_candidates: isListOf(isRecord(candidate), CANDIDATES_MAX),
  attachments: isListOf(isRecord(attachment), ATTACHMENTS_MAX),
  truncated: isBoolean,
};

const optional: Record<Optional | 'text' | 'html' | 'text_range' | 'html_range', ValueCheck> = {
  answer_to: isListOf(isLine(VALUE_CHARS_MAX), ADDRESSES_MAX),
  in_reply_to: isOrNull(isMessageId),
  references: isListOf(isMessageId, REFERENCES_MAX),
  text: isBody,
  text_range: isRange,
  html: isBody,
  html_range: isRange,
  reply_text: isBody,
  otp_reason: isReason,
  magic_link_reason: isReason,
};

const isRight = isRecord(required, optional);

/** Whether a value, as parsed from JSON, is content with nothing missing and nothing added. */
export function isContent(value: unknown): value is ShortContent {
  return isRight(value) && hasOne(value, 'text', 'text_range') && hasOne(value, 'html', 'html_range');
}

const hasOne = (value: unknown, text: string, range: string) =>
  Object.hasOwn(value as object, text) !== Object.hasOwn(value as object, range);
