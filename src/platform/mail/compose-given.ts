import MailComposer from 'nodemailer/lib/mail-composer';

/** A test mail made from given fields. Its header texts are single lines. */
export interface GivenMail {
  from: GivenPerson;
  to: readonly GivenPerson[];
  cc: readonly GivenPerson[];
  reply_to: readonly GivenPerson[];
  subject: string;
  text: string;
  html: string;
  headers: readonly { key: string; value: string }[];
  attachments: readonly GivenAttachment[];
}

interface GivenPerson {
  name: string;
  address: string;
}

export interface GivenAttachment {
  filename: string;
  content: Uint8Array;
  /** When empty, the name decides. */
  content_type: string;
  /** Empty when the HTML does not show it. */
  content_id: string;
}

/** The mail's bytes: RFC 5322 and MIME, CRLF, without Bcc. */
export function composeGiven(mail: GivenMail, nowUs: number): Promise<Uint8Array> {
  const composer = new MailComposer({
    from: mail.from,
    to: [...mail.to],
    cc: [...mail.cc],
    replyTo: [...mail.reply_to],
    subject: mail.subject,
    date: new Date(nowUs / 1000),
    headers: [...mail.headers],
    text: mail.text,
    ...(mail.html === '' ? {} : { html: mail.html }),
    attachments: mail.attachments.map(({ filename, content, content_type, content_id }) => ({
      filename,
      content: Buffer.from(content),
      ...(content_type === '' ? {} : { contentType: content_type }),
      ...(content_id === '' ? {} : { cid: content_id, contentDisposition: 'inline' as const }),
    })),
    // No input names a file or URL to read; this makes sure.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}
