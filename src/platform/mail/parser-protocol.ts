import { encodeFrame, type Frame } from '../process/frames.ts';
import type { MailFindings } from './checks/findings.ts';
import type { DeliveryReport } from './dsn.ts';
import type { FrameLook, ParsedSummary, Quotable, QuoteLook, RawSource, SafeHtml } from './parsed.ts';
import type { EncodedContent } from './stored-mail.ts';

/** A request to a parser process. `headers` asks for these alone, after parsing the whole mail has failed. */
export type ParserJob = { id: number; raw: RawSource } & (
  | { want: 'mail' | 'headers' }
  | { want: 'attachment'; index: number }
  | { want: 'report' }
  /** `raw` is the JSON of a ParsedContent. */
  | { want: 'quotable'; look: QuoteLook }
  /** `raw` is the HTML. */
  | { want: 'safeHtml'; look: FrameLook }
  /** `raw` is the JSON of a MailToCheck. */
  | { want: 'findings' }
);

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

/** Encodes a job. Bytes in memory follow the head of the frame; a file is named in the head. */
export function encodeJob({ raw, ...job }: ParserJob): Uint8Array {
  return 'bytes' in raw ? encodeFrame(job, raw.bytes) : encodeFrame({ ...job, file: raw.file });
}

/** Decodes a job without checking it: it comes from the process that started this one. */
export function decodeJob({ head, bytes }: Frame): ParserJob {
  const { file, ...job } = head as ParserJob & { file?: string };
  return { ...job, raw: file === undefined ? { bytes } : { file } };
}

export function encodeResult(result: ParserResult): Uint8Array {
  if ('summary' in result) {
    const { id, summary, isJson, content } = result;
    return encodeFrame({ id, summary, is_json: isJson }, content);
  }
  if (!('attachment' in result)) return encodeFrame(result);
  const { id, attachment } = result;
  return encodeFrame({ id, has_attachment: attachment !== null }, attachment ?? undefined);
}
