import type { DeliveryReport } from './dsn.ts';
import type { ParsedSummary, Quotable, RawSource } from './parsed.ts';

/** What the appliance asks of a parser process. `headers`: only those, after the whole mail could not be parsed. */
export type ParserJob = { id: number; raw: RawSource } & (
  | { want: 'mail' | 'headers' }
  | { want: 'attachment'; index: number }
  | { want: 'report' }
  // Of these the bytes are not a mail's, but its content as it is stored.
  | { want: 'quotable' }
  /** `raw` is the HTML. */
  | { want: 'safe_html'; remoteImages: boolean }
);

/** A parsed mail as it goes to the store: the columns, and all else as compressed JSON of ParsedContent. */
export interface StorableMail {
  summary: ParsedSummary;
  content: Uint8Array;
}

/** What it answers, one for each job, in order. */
export type ParserResult = { id: number } & (
  | StorableMail
  | { attachment: Uint8Array | null }
  | { report: DeliveryReport | null }
  | { quotable: Quotable }
  | { safe_html: string }
  | { fault: string }
);
