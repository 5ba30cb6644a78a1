import MailComposer from 'nodemailer/lib/mail-composer';
import { encodeWord } from 'nodemailer/lib/mime-funcs';
import type { Mailbox } from './mailbox.ts';
import type { Threading } from './thread.ts';

/** An email before encoding. Its header texts have been checked (mailbox.ts and thread.ts in platform/mail/). */
export interface Draft {
  from: Mailbox;
  to: readonly Mailbox[];
  cc: readonly Mailbox[];
  reply_to: Mailbox | null;
  subject: string;
  /** Empty: no such part. At least one is not empty. */
  text: string;
  html: string;
  message_id: string;
  threading: Threading | null;
  /** For the Date header. */
  nowUs: number;
}

/**
 * Up to this size a body is encoded as quoted-printable, which is readable; a larger one as base64, which takes a
 * twentieth of the time (1 MiB: 190 against 8 ms).
 */
const QUOTED_PRINTABLE_CHARS_MAX = 32 * 1024;

/**
 * The email's bytes: RFC 5322 and MIME, CRLF, lines of at most 76 characters, without Bcc and DKIM-Signature. Takes
 * at most a few milliseconds of the event loop for the 1 MiB that a request may have.
 */
export function compose(draft: Draft): Promise<Uint8Array> {
  const { threading } = draft;
  const composer = new MailComposer({
    from: toAddress(draft.from),
    to: draft.to.map(toAddress),
    cc: draft.cc.map(toAddress),
    ...(draft.reply_to ? { replyTo: toAddress(draft.reply_to) } : {}),
    subject: escapeEncodedWords(draft.subject),
    messageId: draft.message_id,
    date: new Date(draft.nowUs / 1000),
    ...(threading ? { inReplyTo: threading.in_reply_to, references: [...threading.references] } : {}),
    ...(draft.text === '' ? {} : { text: makeBody(draft.text) }),
    ...(draft.html === '' ? {} : { html: makeBody(draft.html) }),
    // No input names a file or URL to read; this makes sure.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

/** RFC 2047 2: 75 characters per encoded word, including its delimiters. */
const WORD_CHARS_MAX = 52;

/** The library passes on text that looks like an encoded word, and the recipient would see it decoded. */
function escapeEncodedWords(text: string): string {
  return text.includes('=?') ? encodeWord(text, 'B', WORD_CHARS_MAX) : text;
}

function toAddress({ name, email }: Mailbox) {
  return { name, address: email };
}

function makeBody(written: string) {
  // RFC 5322 2.3: CR and LF occur only together.
  const content = written.replace(/\r\n|\r|\n/g, '\r\n');
  return { content, contentTransferEncoding: chooseEncoding(content) };
}

function chooseEncoding(content: string): 'base64' | 'quoted-printable' {
  if (content.length > QUOTED_PRINTABLE_CHARS_MAX) return 'base64';
  const foreign = content.replace(/[\x20-\x7e\r\n\t]+/g, '').length;
  return foreign > content.length / 4 ? 'base64' : 'quoted-printable';
}
