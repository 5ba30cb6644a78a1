/** Makes a mail that a program wrote to sendmail ready for SMTP (RFC 6409, section 8: what a submission server may add). */
import { readLocalAddresses } from '../../../platform/mail/addresses.ts';

export interface PreparedMail {
  bytes: Uint8Array;
  /** From To, Cc and Bcc; empty unless `takesRecipients` is set. */
  recipients: string[];
  /** From Sender or From, otherwise the author. */
  sender: string;
}

export interface PrepareOptions {
  takesRecipients: boolean;
  /** Whether a line with a single dot ends the mail. */
  endsAtDot: boolean;
  /** The host of names without one, such as `root`. */
  host: string;
  /** The caller's own address, for the From of a mail that has none. */
  author: string;
  nowMs: number;
}

/** Ends lines with CRLF, removes Bcc, and adds Date, From and Message-ID. Works on bytes (latin1), so no character changes. */
export function prepareMail(
  written: Uint8Array,
  { takesRecipients, endsAtDot, host, author, nowMs }: PrepareOptions,
): PreparedMail {
  let text = Buffer.from(written)
    .toString('latin1')
    .replace(/\r*\n|\r/g, '\n');
  // Some programs write the "From " line of an mbox first.
  text = text.replace(/^From [^\n]*\n/, '');
  if (endsAtDot) {
    const dot = /^\.$/m.exec(text);
    if (dot) text = text.slice(0, dot.index);
  }
  // Without an empty line, the mail is all headers, or all body if it does not begin with one.
  const hasHead = /^[!-9;-~]+[ \t]*:/.test(text);
  const gap = hasHead ? text.search(/\n\n/) : -1;
  const head = hasHead ? (gap < 0 ? text.replace(/\n$/, '') : text.slice(0, gap)) : '';
  const body = hasHead ? (gap < 0 ? '' : text.slice(gap + 2)) : text;
  const fields = head === '' ? [] : head.split(/\n(?![ \t])/);
  const readValues = (name: string) =>
    fields
      .filter((field) => field.slice(0, field.indexOf(':')).trimEnd().toLowerCase() === name)
      .map((field) => field.slice(field.indexOf(':') + 1).replace(/\n/g, ''));
  const addresses = (names: readonly string[]) =>
    names.flatMap(readValues).flatMap((value) => readLocalAddresses(value, host));
  const sender = addresses(['sender', 'from'])[0] ?? author;
  const kept = fields.filter((field) => !/^bcc[ \t]*:/i.test(field));
  if (readValues('date').length === 0)
    kept.push(`Date: ${new Date(nowMs).toUTCString().replace('GMT', '+0000')}`);
  if (readValues('from').length === 0) kept.push(`From: ${Buffer.from(author).toString('latin1')}`);
  if (readValues('message-id').length === 0) kept.push(`Message-ID: <${crypto.randomUUID()}@localhost>`);
  return {
    bytes: Buffer.from(`${kept.join('\n')}\n\n${body}`.replaceAll('\n', '\r\n'), 'latin1'),
    recipients: takesRecipients ? [...new Set(addresses(['to', 'cc', 'bcc']))] : [],
    sender,
  };
}
