import { SENDERS_MAX } from '../../platform/mail/bounds.ts';
import { REFS_MAX } from '../../platform/mail/message-ids.ts';
import type { ParsedSummary } from '../../platform/mail/parsed.ts';
import { SNIPPET_CHARS_MAX } from '../../platform/mail/snippet.ts';

/*
 * Checks the summary in a parser process's answer. A schema would do the same, but takes 8 µs of the main thread for each mail, and
 * this takes one.
 */

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isTextOrNull: Check = (value) => value === null || typeof value === 'string';
/** An integer that the store can hold exactly. */
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;

function isListOf(check: Check, max = Number.POSITIVE_INFINITY): Check {
  return (value) => Array.isArray(value) && value.length <= max && value.every(check);
}

const checks: Record<keyof ParsedSummary, Check> = {
  status: (value) => value === 'parsed' || value === 'failed',
  from: isText,
  senders: isListOf(isText, SENDERS_MAX + 1),
  to: isListOf(isText),
  cc: isListOf(isText),
  subject: isText,
  otp: isTextOrNull,
  otp_confidence: (value) => typeof value === 'number' && value >= 0 && value <= 1,
  magic_link: isTextOrNull,
  links: isListOf(isText),
  has_html: (value) => typeof value === 'boolean',
  attachment_count: isCount,
  tags: isListOf(isText),
  snippet: (value) => typeof value === 'string' && value.length <= SNIPPET_CHARS_MAX,
  ref: (value) => value === null || isCount(value),
  refs: isListOf(isCount, REFS_MAX),
};

const byField = new Map(Object.entries(checks));
/** Only `senders` may be absent. */
const FIELDS_MIN = byField.size - 1;

/** Whether a value, as parsed from JSON, is a summary with nothing missing and nothing added. */
export function isSummary(value: unknown): value is ParsedSummary {
  if (typeof value !== 'object' || value === null) return false;
  const given = value as Record<string, unknown>;
  const fields = Object.keys(given);
  if (fields.length < FIELDS_MIN) return false;
  if (fields.length === FIELDS_MIN && 'senders' in given) return false;
  return fields.every((field) => byField.get(field)?.(given[field]) === true);
}
