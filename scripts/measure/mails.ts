/** Makes the mails that the bench sends, in typical sizes and kinds. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type MailKind = keyof typeof mails;

const WORDS =
  'your order has been received and will be sent as soon as payment is confirmed please keep this message for the record'.split(
    ' ',
  );

/** Returns a text of this length in lines of usual length. It is always the same. */
function makeProse(bytes: number): string {
  let text = '';
  let line = '';
  for (let index = 0; text.length < bytes; index++) {
    line += `${WORDS[(index * 7) % WORDS.length]} `;
    if (line.length < 66) continue;
    text += `${line.trim()}\r\n`;
    line = '';
  }
  return text.slice(0, bytes);
}

/** English as people write it, which compresses far less than the words above. It is the beginning of one of our documents. */
function readProse(bytes: number): string {
  const text = readFileSync(join(import.meta.dir, '../../docs/architecture.md'), 'latin1');
  // Without Markdown's marks and characters that are not ASCII.
  return text
    .replace(/[^\n -~]|[#`|*]/g, '')
    .replaceAll('\n', '\r\n')
    .slice(0, bytes);
}

/** The generator replaces `@@@@@@@@@@` with a different number in each mail. */
const head = (type: string) =>
  [
    'Received: from mta.example (mta.example [192.0.2.1]) by relay.example with ESMTPS; Sat, 21 Nov 2026 08:00:00 +0000',
    'From: Example Shop <orders@shop.example>',
    'To: Ann <ann@postern.test>',
    'Subject: Your sign-in code is 482913 (@@@@@@@@@@)',
    'Date: Sat, 21 Nov 2026 08:00:00 +0000',
    'Message-ID: <@@@@@@@@@@.bench@shop.example>',
    'MIME-Version: 1.0',
    `Content-Type: ${type}`,
  ].join('\r\n');

const opening =
  'Your code is 482913. It is valid for ten minutes.\r\nhttps://shop.example/verify?token=abc\r\n';

function makePlain(bytes: number, fill = makeProse): string {
  const start = `${head('text/plain; charset=utf-8')}\r\n\r\n${opening}`;
  return `${start}${fill(bytes - start.length - 2)}\r\n`;
}

function makeAlternative(bytes: number): string {
  const cut = '--=_bench';
  const start = head('multipart/alternative; boundary="=_bench"');
  const text = `${cut}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${opening}${makeProse(2000)}\r\n`;
  const rows = makeProse(bytes - start.length - text.length - 700).replaceAll(
    '\r\n',
    '</td></tr>=\r\n<tr><td>',
  );
  const markup =
    '<html><head><style>td { color: #333 }</style></head><body><h1>Your code is <b>482913</b></h1>=\r\n' +
    '<a href=3D"https://shop.example/verify?token=3Dabc">Sign in</a><table>=\r\n';
  const page = `${cut}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${markup}`;
  return `${start}\r\n\r\n${text}${page}<tr><td>${rows}</td></tr></table></body></html>\r\n${cut}--\r\n`;
}

function makeAttached(bytes: number): string {
  const cut = '--=_bench';
  const start = head('multipart/mixed; boundary="=_bench"');
  const text = `${cut}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${opening}\r\n`;
  const name = 'Content-Disposition: attachment; filename="report.bin"';
  const part = `${cut}\r\nContent-Type: application/octet-stream\r\n${name}\r\nContent-Transfer-Encoding: base64\r\n\r\n`;
  const line = `${Buffer.from(makeProse(57)).toString('base64')}\r\n`;
  return `${start}\r\n\r\n${text}${part}${line.repeat(Math.floor(bytes / line.length))}${cut}--\r\n`;
}

export const mails = {
  plain5k: () => makePlain(5_400),
  english5k: () => makePlain(5_400, readProse),
  alternative8k: () => makeAlternative(7_500),
  plain100k: () => makePlain(100_000),
  attached5m: () => makeAttached(5_000_000),
  small: () => makePlain(600),
};
