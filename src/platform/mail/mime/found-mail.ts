import type { MailRanges } from '../mail-range.ts';
import type { AttachmentInfo } from '../parsed.ts';

/** One header field as mailsplit returns it: its name in lower case, and the whole line, still folded. */
export interface HeaderLine {
  key: string;
  line: string;
}

/** What either lane finds in a mail, before any bound is applied. */
export interface FoundMail {
  /**
   * Decoded values by field name, as mailparser returns them. The fast lane has only the fields that parse.ts reads.
   */
  headers: Map<string, unknown>;
  written: WrittenFields;
  text: string;
  html: string;
  attachments: AttachmentInfo[];
  /** Whether a bound cut the texts while they were read. */
  isCut: boolean;
  /** Whether a bound cut the name, type or Content-ID of an attachment. */
  hasCutNames?: boolean;
  /** Where the texts are in the mail; absent if that is not known. */
  ranges?: MailRanges;
}

/** The values of some header fields exactly as written, in the order of the mail. */
interface WrittenFields {
  /** mailparser replaces a date that it can't read with the current one. */
  date: string[];
  'x-tags': string[];
  'message-id': string[];
  'in-reply-to': string[];
  references: string[];
  /** mailparser keeps only the last. */
  from: string[];
}

export function pickWrittenFields(lines: readonly HeaderLine[]): WrittenFields {
  const written: WrittenFields = {
    date: [],
    'x-tags': [],
    'message-id': [],
    'in-reply-to': [],
    references: [],
    from: [],
  };
  for (const { key, line } of lines) {
    if (Object.hasOwn(written, key)) written[key as keyof WrittenFields].push(line.slice(key.length + 1));
  }
  return written;
}
