import { statSync } from 'node:fs';
import { viewBytes } from '../../platform/core/bytes.ts';
import { BODY_CHARS_MAX, QUOTED_HTML_CHARS_MAX, QUOTED_TEXT_CHARS_MAX } from '../../platform/mail/bounds.ts';
import type { MailFindings } from '../../platform/mail/checks/findings.ts';
import {
  type DeliveryReport,
  REPORT_TEXT_CHARS_MAX,
  REPORTED_ADDRESSES_MAX,
  REPORTED_MAX,
} from '../../platform/mail/dsn.ts';
import type { RawSource, SafeHtml } from '../../platform/mail/parsed.ts';
import {
  ANSWER_HEAD_BYTES_MAX,
  encodeJob,
  FAULT_CHARS_MAX,
  type ParserJob,
  type ParserResult,
  SAFE_HTML_BYTES_MAX,
  type StorableMail,
} from '../../platform/mail/parser-protocol.ts';
import { parseEncoded } from '../../platform/mail/stored-mail.ts';
import type { Frame } from '../../platform/process/frames.ts';
import type { Protocol } from '../../platform/process/watched-process.ts';
import { removedElements } from '../../rules/removed.ts';
import { Findings } from '../checks/wire.ts';
import { isContent } from './content-check.ts';
import { isSummary } from './summary-check.ts';
import { isBoolean, isCount, isLine, isListOf, isOneOf, isOrNull, isRecord, isText } from './value-checks.ts';

/*
 * Checks a parser process's answers. A hostile mail may have taken the process over, so each field is checked that is
 * stored, shown or logged. After a wrong answer the process is killed, and only the mails that it holds are affected.
 */

/** Values in findings. At their bounds, warnings name every mail program of caniemail.com and take most of them. */
const FINDINGS_VALUES_MAX = 20_000;
/** An attachment is smaller than its mail, where it is encoded. This leaves room for one that is not encoded. */
const ATTACHMENT_ROOM_BYTES = 64 * 1024;
/** Content at its bounds, compressed as badly as possible. */
const CONTENT_BYTES_MAX = 13 * 1024 * 1024;
/** In UTF-8. Sanitising doubles the HTML at most. */
const QUOTABLE_BYTES_MAX = 3 * (QUOTED_TEXT_CHARS_MAX + 2 * QUOTED_HTML_CHARS_MAX + 1024);

const kinds = Object.keys(removedElements);

const isReport = isRecord({
  recipients: isListOf(
    isRecord({
      addresses: isListOf(isText(1000), REPORTED_ADDRESSES_MAX),
      action: isOneOf(['failed', 'delayed', 'other']),
      status: isOrNull(isText(20, /^[245](?:\.\d{1,3}){2}$/)),
      text: isText(REPORT_TEXT_CHARS_MAX),
    }),
    REPORTED_MAX,
  ),
});

const isSafe = isRecord({
  doctype: isLine(1000),
  removed: isRecord({}, Object.fromEntries(kinds.map((kind) => [kind, isCount(BODY_CHARS_MAX)]))),
  hasDark: isBoolean,
});

const isId = isCount();

/** What an answer's head has besides the id, by the field that tells the answers apart. */
const forms = {
  summary: isRecord({ id: isId, summary: isSummary, is_json: isBoolean }),
  has_attachment: isRecord({ id: isId, has_attachment: isBoolean }),
  report: isRecord({ id: isId, report: isOrNull(isReport) }),
  quotable: isRecord({ id: isId, quotable: isRecord({ text_bytes: isCount(QUOTABLE_BYTES_MAX) }) }),
  safeHtml: isRecord({ id: isId, safeHtml: isSafe }),
  findings: isRecord({ id: isId, findings: (value) => value !== null }),
  fault: isRecord({ id: isId, fault: isLine(FAULT_CHARS_MAX) }),
};

type Answer = { id: number } & (
  | { summary: StorableMail['summary']; is_json: boolean }
  | { has_attachment: boolean }
  | { report: DeliveryReport | null }
  | { quotable: { text_bytes: number } }
  | { safeHtml: Omit<SafeHtml, 'html'> }
  | { findings: unknown }
  | { fault: string }
);

export const parserProtocol: Protocol<ParserJob, ParserResult> = {
  headBytesMax: ANSWER_HEAD_BYTES_MAX,
  hasPulse: false,
  findFile: ({ raw }) => ('file' in raw ? raw.file : null),
  encode: encodeJob,
  resultBytesMax(job) {
    switch (job.want) {
      case 'mail':
      case 'headers':
        return CONTENT_BYTES_MAX;
      case 'attachment':
        return measure(job.raw) + ATTACHMENT_ROOM_BYTES;
      case 'safeHtml':
        return SAFE_HTML_BYTES_MAX;
      case 'quotable':
        return QUOTABLE_BYTES_MAX;
      default:
        return 0;
    }
  },
  decode({ head, bytes }: Frame) {
    const given = readAnswer(head);
    const { id } = given;
    // Bytes are copied, because they outlive the chunk of the stream in which they came.
    if ('summary' in given) {
      const mail = { summary: given.summary, isJson: given.is_json, content: bytes.slice() };
      if (!isContent(parseEncoded(mail))) throw new Error('content in an unknown form');
      return { id, ...mail };
    }
    if ('has_attachment' in given) return { id, attachment: given.has_attachment ? bytes.slice() : null };
    if ('safeHtml' in given)
      return { id, safeHtml: { ...given.safeHtml, html: viewBytes(bytes).toString() } };
    if ('quotable' in given) {
      const { text_bytes: textBytes } = given.quotable;
      const [text, html] = [bytes.subarray(0, textBytes), bytes.subarray(textBytes)];
      return { id, quotable: { text: viewBytes(text).toString(), html: viewBytes(html).toString() } };
    }
    if ('findings' in given) return { id, findings: readFindings(given.findings) };
    return given;
  },
};

function readAnswer(head: unknown): Answer {
  if (typeof head === 'object' && head !== null) {
    for (const [field, isRight] of Object.entries(forms))
      if (Object.hasOwn(head, field) && isRight(head)) return head as Answer;
  }
  throw new Error('an answer in an unknown form');
}

function readFindings(given: unknown): MailFindings {
  if (!hasFewValues(given, FINDINGS_VALUES_MAX)) throw new Error('findings with too many values');
  return Findings.parse(given);
}

/** Whether JSON has at most `max` values. Checked before the schema, which would report every wrong one. */
function hasFewValues(given: unknown, max: number): boolean {
  const open = [given];
  for (let count = 0; open.length > 0; count++) {
    const value = open.pop();
    if (count + open.length > max) return false;
    if (typeof value === 'object' && value !== null)
      for (const inner of Object.values(value)) open.push(inner);
  }
  return true;
}

/** The size of a mail. A file may be gone: then the parser reads nothing. */
function measure(raw: RawSource): number {
  if ('bytes' in raw) return raw.bytes.length;
  return statSync(raw.file, { throwIfNoEntry: false })?.size ?? 0;
}
