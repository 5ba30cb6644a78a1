/**
 * What the parser makes of a mail. It crosses a process boundary, so it is plain data.
 * Bounds of what is kept stand in platform/mail/bounds.ts; `truncated` says that one of them cut something.
 */

/** One attachment as the API shows it; its bytes are read from the raw message when asked for. */
export interface AttachmentInfo {
  index: number;
  filename: string | null;
  content_type: string;
  /** Bytes, decoded. */
  size: number;
  content_id: string | null;
  inline: boolean;
}

export interface OtpCandidate {
  code: string;
  confidence: number;
  context: string;
}

/** What a list of messages shows; it stands in columns. */
export interface ParsedSummary {
  status: 'parsed' | 'failed';
  from: string;
  to: string[];
  cc: string[];
  subject: string;
  otp: string | null;
  otp_confidence: number;
  magic_link: string | null;
  links: string[];
  has_html: boolean;
  attachment_count: number;
}

/** The rest of a message; it is stored as one compressed JSON value (column raw.content). */
export interface ParsedContent {
  message_id: string | null;
  reply_to: string | null;
  /** Whom an answer goes to, one mailbox each: Reply-To, else From. Absent in mails that an older version stored. */
  answer_to?: string[];
  /** Message-IDs of the conversation, oldest first, in angle brackets. Absent as above. */
  references?: string[];
  /** ISO time of the Date header, or null. */
  sent_at: string | null;
  text: string;
  html: string;
  otp_context: string | null;
  otp_candidates: OtpCandidate[];
  attachments: AttachmentInfo[];
  truncated: boolean;
}

/** Where a mail's bytes are: in memory when small, else in a file of the spool folder. */
export type RawSource = { bytes: Uint8Array } | { file: string };

/** What of a mail is shown below an email that forwards it, cut to what a quote may have. */
export interface Quotable {
  /** With lines of \n; made of the html where the mail has no text. */
  text: string;
  /** Sanitised (platform/mail/sanitize.ts); empty when the mail has none. */
  html: string;
}

/**
 * Reads strangers' mails in a process that can be killed (features/ingest/parser-pool.ts). Accounts take turns: what one asks
 * for does not wait for all that another asked for before.
 */
export interface MailReader {
  /** An attachment's decoded bytes, by its index; null when there is none, or the parser had to be killed. */
  attachment(raw: RawSource, index: number, accountNo: number): Promise<Uint8Array | null>;
  /** What can be quoted of a stored mail; `content` as in raw.content. Null when the parser had to be killed. */
  quotable(content: Uint8Array, accountNo: number): Promise<Quotable | null>;
  /** A mail's HTML without what could do harm in a browser (platform/mail/safe-html.ts); null when it had to be killed. */
  safeHtml(html: string, remoteImages: boolean, accountNo: number): Promise<string | null>;
}
