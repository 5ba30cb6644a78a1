import type { DeliveryReport } from './dsn.ts';
import type { ParsedSummary, Quotable, RawSource } from './parsed.ts';

/** A request to a parser process. `headers`: only those, after parsing the whole mail failed. */
export type ParserJob = { id: number; raw: RawSource } & (
  | { want: 'mail' | 'headers' }
  | { want: 'attachment'; index: number }
  | { want: 'report' }
  // Of these the bytes are not a mail's, but its content as it is stored.
  | { want: 'quotable' }
  /** `raw` is the HTML. */
  | { want: 'safe_html'; remoteImages: boolean }
);

/** A parsed mail for the store: the columns, and the rest as compressed JSON of ParsedContent. */
export interface StorableMail {
  summary: ParsedSummary;
  content: Uint8Array;
}

/** Its answers, one per job, in order. */
export type ParserResult = { id: number } & (
  | StorableMail
  | { attachment: Uint8Array | null }
  | { report: DeliveryReport | null }
  | { quotable: Quotable }
  | { safe_html: string }
  | { fault: string }
);
