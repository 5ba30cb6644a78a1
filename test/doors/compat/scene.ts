/** A capture with the listener for other tools' clients, and mails to read through it. */
import { sendMail } from '../../peers/smtp-client.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';

export interface CompatScene extends AsyncDisposable {
  trap: RunningAppliance;
  url: string;
  port: number;
  /** Sends by SMTP; every recipient is in the envelope. */
  send(mail: { to: string[]; from?: string; raw: string }): Promise<void>;
  ask(
    method: string,
    path: string,
    request?: { body?: string; headers?: Record<string, string> },
  ): Promise<Response>;
}

export async function openScene(settings: Record<string, string> = {}): Promise<CompatScene> {
  const trap = await startAppliance({ capture: {}, settings: { compat_listen: '127.0.0.1:0', ...settings } });
  const url = trap.compatUrl!;
  return {
    trap,
    url,
    port: Number(new URL(url).port),
    async send({ to, from = 'app@example.com', raw }) {
      const { data } = await sendMail({ port: trap.smtpPort, from, to, raw });
      if (data?.code !== 250) throw new Error(`the mail was answered ${data?.code} ${data?.lines}`);
    },
    ask: (method, path, { body, headers } = {}) =>
      fetch(url + path, { method, body, headers, redirect: 'manual' }),
    [Symbol.asyncDispose]: () => trap[Symbol.asyncDispose](),
  };
}

export const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A mail with text, HTML, a picture in that, and a file. */
export function richMail(subject: string): string {
  return [
    'From: "App, Inc." <app@example.com>',
    'To: Jane Doe <jane@example.org>, bob@example.org',
    'Cc: carl@example.org',
    'Reply-To: Help <help@example.com>',
    `Subject: ${subject}`,
    'Date: Sun, 22 Nov 2026 10:00:00 +0200',
    'Message-ID: <rich-1@example.com>',
    'List-Unsubscribe: <https://example.com/out>, <mailto:out@example.com>',
    'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
    'X-Run: 7',
    'X-Run: 8',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="outer"',
    '',
    '--outer',
    'Content-Type: multipart/related; boundary="inner"',
    '',
    '--inner',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<p>Grüße <b>Jane</b></p><img src="cid:logo@x"><script>alert(1)</script>',
    '--inner',
    'Content-Type: image/png; name="logo.png"',
    'Content-ID: <logo@x>',
    'Content-Disposition: inline; filename="logo.png"',
    'Content-Transfer-Encoding: base64',
    '',
    PICTURE,
    '--inner--',
    '--outer',
    'Content-Type: text/csv; name="rows.csv"',
    'Content-Disposition: attachment; filename="rows.csv"',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from('a,b\r\n1,2\r\n').toString('base64'),
    '--outer--',
    '',
  ].join('\r\n');
}

export function plainMail({
  subject,
  text,
  to = 'jane@example.org',
}: {
  subject: string;
  text: string;
  to?: string;
}): string {
  return `From: app@example.com\r\nTo: ${to}\r\nSubject: ${subject}\r\n\r\n${text}\r\n`;
}
