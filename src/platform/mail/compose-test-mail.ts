import MailComposer from 'nodemailer/lib/mail-composer';

/** The fields of a mail that Postern creates for a test. All header texts are single lines. */
export interface TestMail {
  from: TestPerson;
  to: readonly TestPerson[];
  cc: readonly TestPerson[];
  reply_to: readonly TestPerson[];
  subject: string;
  text: string;
  html: string;
  headers: readonly { key: string; value: string }[];
  attachments: readonly TestAttachment[];
}

interface TestPerson {
  name: string;
  address: string;
}

export interface TestAttachment {
  filename: string;
  content: Uint8Array;
  /** If empty, it is guessed from the name. */
  content_type: string;
  /** Empty if the HTML does not show the file. */
  content_id: string;
}

/** Composes the mail's bytes: RFC 5322 and MIME, CRLF, without Bcc. */
export function composeTestMail(mail: TestMail, nowUs: number): Promise<Uint8Array> {
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
    // No input names a file or URL to read. This makes sure of that.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}
