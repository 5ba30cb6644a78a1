/**
 * What the parser process returns. It crosses a process boundary, so it is plain data. platform/mail/bounds.ts has the
 * bounds; `truncated` is true if one of them cut something.
 */
import type { RemovedKind } from '../../rules/removed.ts';
import type { MailFindings, MailToCheck } from './checks/findings.ts';
import type { OtpCandidate } from './extract/extract.ts';
import type { Placing } from './message-ids.ts';

/** One attachment as the API shows it; its bytes are read from the raw message on request. */
export interface AttachmentInfo {
  index: number;
  filename: string | null;
  content_type: string;
  /** Decoded bytes. */
  size: number;
  content_id: string | null;
  inline: boolean;
}

/** What a list of messages shows; stored in columns. */
export interface ParsedSummary extends Placing {
  status: 'parsed' | 'failed';
  from: string;
  /** The addresses of every From header, without their names: at most SENDERS_MAX + 1. Absent if there is none. */
  senders?: string[];
  to: string[];
  cc: string[];
  subject: string;
  otp: string | null;
  otp_confidence: number;
  magic_link: string | null;
  links: string[];
  has_html: boolean;
  attachment_count: number;
  /** From X-Tags headers, in their order. */
  tags: string[];
  /** The beginning of the text, in one line (platform/mail/snippet.ts). */
  snippet: string;
}

/** The rest of a message; stored as one compressed JSON value (platform/mail/stored-mail.ts). */
export interface ParsedContent {
  message_id: string | null;
  reply_to: string | null;
  /** Where a reply goes, one mailbox each: Reply-To, otherwise From. Absent in mails stored by older versions. */
  answer_to?: string[];
  /** The Message-ID of In-Reply-To, in angle brackets. Absent as above. */
  in_reply_to?: string | null;
  /** Message-IDs of the conversation, oldest first, in angle brackets. Absent as above. */
  references?: string[];
  /** ISO time of the Date header, or null. */
  sent_at: string | null;
  text: string;
  /** The text of a reply without what it quotes; absent if that is the whole text. */
  reply_text?: string;
  html: string;
  otp_context: string | null;
  otp_candidates: OtpCandidate[];
  /** Why these were chosen. Absent in mails stored by older versions. */
  otp_reason?: string | null;
  magic_link_reason?: string | null;
  attachments: AttachmentInfo[];
  truncated: boolean;
}

/** A parsed mail that is not stored. */
export interface UnstoredMail {
  summary: ParsedSummary;
  content: ParsedContent;
}

/** A mail's bytes: in memory if they are few, otherwise in a file of the spool folder. */
export type RawSource = { bytes: Uint8Array } | { file: string };

/** A mail that was received into a file. Another program could change the file, so its bytes are checked when they are stored. */
export interface SpooledMail {
  file: string;
  /** CRC-32 of the bytes that were received. */
  checksum: number;
}

/** What an email that forwards a mail quotes of it, cut to the bounds of a quote. */
export interface Quotable {
  /** With \n line ends; made from the html if the mail has no text. */
  text: string;
  /** Sanitised (platform/mail/html/quotable-html.ts); empty if the mail has none. */
  html: string;
}

/** How a mail's HTML is quoted. */
export interface QuoteLook {
  /** True to keep the mail's own pictures (`cid:`); otherwise their descriptions replace them. */
  pictures: boolean;
  /** True for the address of each link behind its words, in the text of a mail that has only HTML. */
  linksInText?: boolean;
}

/** How to show a mail's HTML. */
export interface FrameLook {
  remoteImages: boolean;
  /** True for a reader who prefers dark mode. */
  dark: boolean;
}

/** A mail's HTML, safe to show in a browser (platform/mail/html/safe-html.ts). */
export interface SafeHtml {
  doctype: string;
  html: string;
  /** How many elements of each kind were removed. */
  removed: Partial<Record<RemovedKind, number>>;
  /** Whether it looks different in dark mode. */
  hasDark: boolean;
}

/**
 * Reads strangers' mails in a process that can be killed (features/ingest/parser-pool.ts). Accounts take turns, so
 * one account's request does not wait for all requests of another.
 */
export interface MailReader {
  /** Resolves with an attachment's decoded bytes; null if there is none with that index, or the parser was killed. */
  attachment(raw: RawSource, index: number, accountNo: number): Promise<Uint8Array | null>;
  /** Resolves with what can be quoted of a stored mail. `json` is its content; null if the parser was killed. */
  quotable(json: Uint8Array, look: QuoteLook, accountNo: number): Promise<Quotable | null>;
  /** Starts the process that safeHtml needs, if none is running. That takes a tenth of a second. */
  prestartViews(): void;
  /** Resolves with HTML that is safe to show; null if the parser was killed. */
  safeHtml(html: string, look: FrameLook, accountNo: number): Promise<SafeHtml | null>;
  /** Parses a mail that is not stored, such as one that is attached to a mail; null if it could not be read. */
  unstoredMail(bytes: Uint8Array, accountNo: number): Promise<UnstoredMail | null>;
  /** Checks a mail without any request (platform/mail/checks/check.ts); null if the parser was killed. */
  findings(mail: MailToCheck, accountNo: number): Promise<MailFindings | null>;
}
