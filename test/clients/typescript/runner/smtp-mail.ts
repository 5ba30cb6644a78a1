/** Sends one mail by SMTP, as an app does, without a library, so that it runs where only the package is installed. */
import { connect } from 'node:net';

export interface CaseMail {
  to: string | string[];
  from?: string;
  subject?: string;
  text?: string;
  html?: string;
  headers?: Record<string, string>;
}

/** Sends the mail. Returns the code of the first reply that is not 2xx or 3xx, or of the last reply. */
export async function sendMail(smtp: string, mail: CaseMail): Promise<number> {
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(smtp) ?? [];
  const { from = 'app@example.com' } = mail;
  const recipients = [mail.to].flat();
  const socket = connect(Number(port), host).setEncoding('utf8');
  socket.on('error', () => {});
  const replies = readReplies(socket);
  const lines = [
    'EHLO client.example',
    `MAIL FROM:<${from}>`,
    ...recipients.map((to) => `RCPT TO:<${to}>`),
    'DATA',
    `${renderMail(mail, from, recipients).replace(/^\./gm, '..')}\r\n.`,
  ];
  try {
    let code = await nextCode(replies);
    for (const line of lines) {
      if (code >= 400) return code;
      socket.write(`${line}\r\n`);
      code = await nextCode(replies);
    }
    return code;
  } finally {
    socket.end('QUIT\r\n');
    socket.destroySoon();
  }
}

function renderMail(
  { subject, text = '', html, headers = {} }: CaseMail,
  from: string,
  to: string[],
): string {
  const isHtml = html !== undefined;
  const all: Record<string, string> = {
    From: from,
    To: to.join(', '),
    ...(subject === undefined ? {} : { Subject: subject }),
    'MIME-Version': '1.0',
    'Content-Type': `text/${isHtml ? 'html' : 'plain'}; charset=utf-8`,
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [...lines, '', html ?? text].join('\r\n');
}

async function* readReplies(socket: AsyncIterable<string>): AsyncGenerator<number> {
  let rest = '';
  for await (const chunk of socket) {
    const lines = (rest + chunk).split('\r\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (/^\d{3}( |$)/.test(line)) yield Number(line.slice(0, 3));
  }
}

async function nextCode(replies: AsyncGenerator<number>): Promise<number> {
  const { value, done } = await replies.next();
  if (done) throw new Error('the SMTP connection ended');
  return value;
}
