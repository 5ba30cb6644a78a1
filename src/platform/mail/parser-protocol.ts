import { encodeFrame, type Frame, readHeadLength } from '../process/frames.ts';
import type { MailFindings } from './checks/findings.ts';
import type { DeliveryReport } from './dsn.ts';
import type { FrameLook, ParsedSummary, Quotable, QuoteLook, RawSource, SafeHtml } from './parsed.ts';
import type { EncodedContent } from './stored-mail.ts';

/** A request to a parser process. `headers` asks for these alone, after parsing the whole mail has failed. */
export type ParserJob = { id: number; raw: RawSource } & Wanted;

/** What the process receives. `isPassed`: the mail is the next of the files that it was passed open (platform/system/passed-files.ts). */
export type ReceivedJob = { id: number; raw: ReceivedSource } & Wanted;
export type ReceivedSource = RawSource | { isPassed: true };

type Wanted =
  | { want: 'mail' | 'headers' }
  | { want: 'attachment'; index: number }
  | { want: 'report' }
  /** `raw` is the JSON of a ParsedContent. */
  | { want: 'quotable'; look: QuoteLook }
  /** `raw` is the HTML. */
  | { want: 'safeHtml'; look: FrameLook }
  /** `raw` is the JSON of a MailToCheck. */
  | { want: 'findings' };

/** A parsed mail for the store: the columns, and the rest as an encoded ParsedContent. */
export interface StorableMail extends EncodedContent {
  summary: ParsedSummary;
}

/** The process's answers, one per job, in order. features/ingest/parser-answers.ts checks and decodes them. */
export type ParserResult = { id: number } & (
  | StorableMail
  | { attachment: Uint8Array | null }
  | { report: DeliveryReport | null }
  | { quotable: Quotable }
  | { safeHtml: SafeHtml }
  | { findings: MailFindings }
  | { fault: string }
);

/** Encodes a job. Bytes in memory follow the head of the frame; a file is named in the head, unless it is passed open. */
export function encodeJob({ raw, ...job }: ParserJob, isPassed: boolean): Uint8Array {
  if ('bytes' in raw) return encodeFrame(job, raw.bytes);
  return encodeFrame(isPassed ? { ...job, isPassed } : { ...job, file: raw.file });
}

/** Decodes a job without checking it: it comes from the process that started this one. */
export function decodeJob({ head, bytes }: Frame): ReceivedJob {
  const { file, isPassed, ...job } = head as ReceivedJob & { file?: string; isPassed?: true };
  if (isPassed) return { ...job, raw: { isPassed } };
  return { ...job, raw: file === undefined ? { bytes } : { file } };
}

/**
 * Bytes of an answer's head. A summary, a report and findings at all of their bounds have less; texts without such
 * bounds follow the head as bytes.
 */
export const ANSWER_HEAD_BYTES_MAX = 1024 * 1024;
/** Bytes of HTML that is safe to show: sanitising a mail of many small links makes it this much longer. */
export const SAFE_HTML_BYTES_MAX = 16 * 1024 * 1024;
/** Characters of a fault, which is logged. */
export const FAULT_CHARS_MAX = 500;

export function encodeResult(result: ParserResult): Uint8Array {
  const frame = encodeWhole(result);
  const headLength = readHeadLength(frame);
  const isTooLarge = 'safeHtml' in result && frame.length - headLength > SAFE_HTML_BYTES_MAX;
  if (headLength <= ANSWER_HEAD_BYTES_MAX && !isTooLarge) return frame;
  return encodeFrame({ id: result.id, fault: 'what was read is too large' });
}

function encodeWhole(result: ParserResult): Uint8Array {
  if ('summary' in result) {
    const { id, summary, isJson, content } = result;
    return encodeFrame({ id, summary, is_json: isJson }, content);
  }
  if ('attachment' in result) {
    const { id, attachment } = result;
    return encodeFrame({ id, has_attachment: attachment !== null }, attachment ?? undefined);
  }
  if ('safeHtml' in result) {
    const { html, ...safeHtml } = result.safeHtml;
    return encodeFrame({ id: result.id, safeHtml }, Buffer.from(html));
  }
  if ('quotable' in result) {
    const { text, html } = result.quotable;
    const textBytes = Buffer.from(text);
    const head = { id: result.id, quotable: { text_bytes: textBytes.length } };
    return encodeFrame(head, Buffer.concat([textBytes, Buffer.from(html)]));
  }
  if ('fault' in result) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these would begin lines in a log.
    const fault = result.fault.replace(/[\x00-\x1f\x7f]+/g, ' ').slice(0, FAULT_CHARS_MAX);
    return encodeFrame({ id: result.id, fault: fault.toWellFormed() });
  }
  return encodeFrame(result);
}
