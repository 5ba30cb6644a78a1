import { Readable } from 'node:stream';
import MailComposer from 'nodemailer/lib/mail-composer';
import { encodeWord } from 'nodemailer/lib/mime-funcs';
import { viewBytes } from '../core/bytes.ts';
import type { Mailbox } from './mailbox.ts';
import type { Threading } from './thread.ts';

/** An email before encoding. Its header texts have been checked (mailbox.ts and thread.ts in platform/mail/). */
export interface Draft {
  from: Mailbox;
  to: readonly Mailbox[];
  cc: readonly Mailbox[];
  reply_to: Mailbox | null;
  subject: string;
  /** Empty if the email has no such part. At least one of the two is not empty. */
  text: string;
  html: string;
  message_id: string;
  threading: Threading | null;
  attachments: readonly DraftAttachment[];
  /** For the Date header. */
  nowUs: number;
}

/** A file within an email. Its name and type have been checked. */
export interface DraftAttachment {
  filename: string;
  content_type: string;
  bytes: Uint8Array;
  /** The Content-ID, without angle brackets, of a picture that the html shows (`cid:`); null for a separate file. */
  content_id: string | null;
}

/**
 * Up to this size a body is encoded as quoted-printable, which is readable; a larger one as base64, which takes a
 * twentieth of the time (1 MiB: 8 ms instead of 190).
 */
const QUOTED_PRINTABLE_CHARS_MAX = 32 * 1024;

/**
 * Yields the email's bytes: RFC 5322 and MIME, ASCII, CRLF, lines of at most 76 characters (998 in an attached mail),
 * without Bcc and DKIM-Signature. All pieces but the last have `pieceBytes`. Each piece blocks the event loop for a few
 * milliseconds, and so do the bodies of up to 1 MiB that a request may have.
 */
export async function* compose(draft: Draft, pieceBytes: number): AsyncGenerator<Uint8Array> {
  const stream = makeComposer(draft).compile().createReadStream();
  let held: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let rest = chunk;
    while (size + rest.length > pieceBytes) {
      const room = pieceBytes - size;
      yield Buffer.concat([...held, rest.subarray(0, room)], pieceBytes);
      rest = rest.subarray(room);
      held = [];
      size = 0;
    }
    held.push(rest);
    size += rest.length;
  }
  yield Buffer.concat(held, size);
}

function makeComposer(draft: Draft): MailComposer {
  const { threading } = draft;
  return new MailComposer({
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
    attachments: draft.attachments.map(makeAttachment),
    // No input names a file or URL to read. This makes sure of that.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function makeAttachment({ filename, content_type, bytes, content_id }: DraftAttachment) {
  // An attached mail must not be encoded (RFC 2046 5.2.1). But SMTP would damage some mails without an encoding.
  const isPlain = /^message\//i.test(content_type) && isTransportable(bytes);
  return {
    filename,
    contentType: content_type,
    content: Readable.from(sliceBytes(bytes), { objectMode: false }),
    contentTransferEncoding: isPlain ? ('7bit' as const) : ('base64' as const),
    contentDisposition: content_id === null ? ('attachment' as const) : ('inline' as const),
    ...(content_id === null ? {} : { cid: content_id }),
  };
}

const SLICE_BYTES = 64 * 1024;

/** Slices the bytes, so that encoding them does not block the event loop. */
function* sliceBytes(bytes: Uint8Array): Generator<Buffer> {
  const whole = viewBytes(bytes);
  for (let at = 0; at < whole.length; at += SLICE_BYTES) yield whole.subarray(at, at + SLICE_BYTES);
}

/** RFC 5322 2.1.1, without its CRLF. */
const LINE_BYTES_MAX = 998;

/** Whether the bytes are ASCII lines that every mail server passes on unchanged (RFC 2045 2.7). */
function isTransportable(bytes: Uint8Array): boolean {
  let lineFrom = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === 0 || byte > 0x7f) return false;
    if (byte === 0x0d && bytes[at + 1] !== 0x0a) return false;
    if (byte === 0x0a) {
      if (bytes[at - 1] !== 0x0d) return false;
      lineFrom = at + 1;
    } else if (byte !== 0x0d && at - lineFrom >= LINE_BYTES_MAX) return false;
  }
  return true;
}

/** Characters of an encoded word's text: with its delimiters, it may have 75 (RFC 2047 2). */
const WORD_CHARS_MAX = 52;

/**
 * Encodes text that looks like an encoded word: the library would pass it on, and the recipient would see it decoded.
 */
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
