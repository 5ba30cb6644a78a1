import {
  ADDRESS_LIST_CHARS_MAX,
  ADDRESSES_MAX,
  ATTACHMENTS_MAX,
  CODE_CHARS_MAX,
  HREF_CHARS_MAX,
  LINK_CHARS_MAX,
  LINKS_MAX,
  SENDERS_MAX,
  VALUE_CHARS_MAX,
} from '../../platform/mail/bounds.ts';
import { REFS_MAX } from '../../platform/mail/message-ids.ts';
import type { ParsedSummary } from '../../platform/mail/parsed.ts';
import { SNIPPET_CHARS_MAX } from '../../platform/mail/snippet.ts';
import { TAG, TAGS_MAX } from '../../rules/tags.ts';
import {
  isBoolean,
  isCount,
  isLine,
  isListOf,
  isOneOf,
  isOrNull,
  isRecord,
  isShare,
  isText,
  type ValueCheck,
} from './value-checks.ts';

/*
 * Checks the summary in a parser process's answer, which becomes columns of the store: to exactly the bounds that the
 * parser keeps (platform/mail/parse.ts).
 */

const isAddressList = isListOf(isLine(VALUE_CHARS_MAX), ADDRESSES_MAX);

const isShortList: ValueCheck = (value) =>
  isAddressList(value) &&
  (value as string[]).reduce((chars, { length }) => chars + length, 0) <= ADDRESS_LIST_CHARS_MAX;

/** Never `javascript:`, wherever a client shows them. */
const WEB = /^https?:\/\//i;
const LINK = /^(?:https?:\/\/|mailto:)/i;

const fields: Record<Exclude<keyof ParsedSummary, 'senders'>, ValueCheck> = {
  status: isOneOf(['parsed', 'failed']),
  from: isLine(VALUE_CHARS_MAX),
  to: isShortList,
  cc: isShortList,
  subject: isLine(VALUE_CHARS_MAX),
  otp: isOrNull(isLine(CODE_CHARS_MAX)),
  otp_confidence: isShare,
  magic_link: isOrNull(isText(HREF_CHARS_MAX, WEB)),
  links: isListOf(isText(LINK_CHARS_MAX, LINK), LINKS_MAX),
  has_html: isBoolean,
  attachment_count: isCount(ATTACHMENTS_MAX),
  tags: isListOf(isLine(40, TAG), TAGS_MAX),
  snippet: isText(SNIPPET_CHARS_MAX),
  ref: isOrNull(isCount()),
  refs: isListOf(isCount(), REFS_MAX),
};

const isRight = isRecord(fields, { senders: isListOf(isText(VALUE_CHARS_MAX), SENDERS_MAX + 1) });

/** Whether a value, as parsed from JSON, is a summary with nothing missing and nothing added. */
export function isSummary(value: unknown): value is ParsedSummary {
  return isRight(value);
}
