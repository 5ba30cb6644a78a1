/** A mail in the comparison, as it is sent over SMTP. */
import MailComposer from 'nodemailer/lib/mail-composer';
import type { Attachment } from 'nodemailer/lib/mailer';

export interface SampleMail {
  /** The name that pictures and figures use. */
  name: string;
  subject: string;
  isHtml: boolean;
  /** The envelope. */
  from: string;
  to: string[];
  build(): Promise<Uint8Array>;
}

/** The optional parts of a mail. */
interface Content {
  text?: string;
  html?: string;
  cc?: string[];
  /** Recipients that are only in the envelope. */
  bcc?: string[];
  attachments?: Attachment[];
  headers?: Record<string, string>;
  /** A meeting, which is added as text/calendar. */
  invitation?: string;
  inReplyTo?: string;
  textEncoding?: 'quoted-printable' | 'base64';
}

/** A fixed date, so that the same mails have the same bytes. */
const SENT_AT = new Date('2026-11-21T08:00:00Z');

const addressIn = (who: string) => /<(.*)>/.exec(who)?.[1] ?? who;

export function write(
  name: string,
  from: string,
  to: string | string[],
  subject: string,
  { bcc = [], cc = [], invitation, ...content }: Content,
): SampleMail {
  const composer = new MailComposer({
    from,
    to,
    subject,
    cc,
    date: SENT_AT,
    messageId: `<${name}@samples.example>`,
    baseBoundary: name,
    textEncoding: 'quoted-printable',
    xMailer: false,
    ...content,
    ...(invitation ? { icalEvent: { method: 'REQUEST', content: invitation } } : {}),
  });
  return {
    name,
    subject,
    isHtml: content.html !== undefined,
    from: addressIn(from),
    to: [...[to].flat(), ...cc, ...bcc].map(addressIn),
    build: () => composer.compile().build(),
  };
}

/** Makes a mail with bytes that no library would write. */
export function writeRaw(name: string, from: string, to: string, lines: readonly string[]): SampleMail {
  const raw = Buffer.from(lines.join('\r\n'), 'latin1');
  return { name, subject: '', isHtml: false, from, to: [to], build: () => Promise.resolve(raw) };
}
