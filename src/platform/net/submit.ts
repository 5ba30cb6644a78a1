/** Sends one mail to an SMTP server, for the commands that send test mail. Outbound email uses smtp-client.ts. */
import { basename } from 'node:path';
import { createTransport } from 'nodemailer';
import type { ServerAddress } from '../core/settings.ts';

/** A test mail in parts; at least one of text and html. */
export interface Parts {
  from: string;
  to: readonly string[];
  subject: string;
  text?: string | undefined;
  html?: string | undefined;
  /** Paths of files to attach. */
  attachments: readonly string[];
}

export interface Submission {
  /** Reverse-path. */
  from: string;
  to: readonly string[];
  mail: Parts | Uint8Array;
}

export interface Submitted {
  /** The server's last reply: `250 2.0.0 …`. */
  reply: string;
  accepted: string[];
  rejected: { recipient: string; reply: string }[];
}

const CONNECT_MS_MAX = 10_000;
const SILENCE_MS_MAX = 60_000;

/** Submits a mail. Rejects with nodemailer's error if the server can't be reached, or accepts it for no recipient. */
export async function submitMail(
  { host, port }: ServerAddress,
  { from, to, mail }: Submission,
): Promise<Submitted> {
  const transport = createTransport({
    host,
    port,
    secure: port === 465,
    // A trap's certificate is self-signed, and a test mail holds no secret (RFC 7435).
    tls: { rejectUnauthorized: false },
    connectionTimeout: CONNECT_MS_MAX,
    greetingTimeout: CONNECT_MS_MAX,
    socketTimeout: SILENCE_MS_MAX,
  });
  try {
    const envelope = { from, to: [...to] };
    const sent =
      mail instanceof Uint8Array
        ? await transport.sendMail({ envelope, raw: Buffer.from(mail) })
        : await transport.sendMail({
            ...mail,
            to: [...mail.to],
            envelope,
            // Without a filename, nodemailer makes one: `README.*` for README. Without a disposition, it shows a mail in
            // a file inline, as part of the text.
            attachments: mail.attachments.map((path) => ({
              path,
              filename: basename(path),
              contentDisposition: 'attachment' as const,
            })),
          });
    return {
      reply: sent.response,
      accepted: sent.accepted.map(String),
      rejected: (sent.rejectedErrors ?? []).map((fault) => ({
        recipient: String((fault as { recipient?: string }).recipient ?? ''),
        reply: fault.message,
      })),
    };
  } finally {
    transport.close();
  }
}
