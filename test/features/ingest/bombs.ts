/** Mails that stall a parser or fill its memory (each was measured with one): name to bytes. */

const html = (body: string) => `Subject: bomb\r\nContent-Type: text/html\r\n\r\n${body}\r\n`;
const plain = (body: string) => `Subject: bomb\r\nContent-Type: text/plain\r\n\r\n${body}\r\n`;
const encoded = (encoding: string, body: string, type = 'text/plain') =>
  `Subject: bomb\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}\r\n`;
const headed = (header: string) => `Subject: bomb\r\n${header}\r\n\r\nbody\r\n`;
const multipart = (body: string) =>
  `Subject: bomb\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${body}`;

const MB = 1_000_000;
const times = (text: string, bytes: number) => text.repeat(Math.ceil(bytes / text.length));

function nested(levels: number): string {
  let mail = 'Subject: bomb\r\n';
  for (let level = 0; level < levels; level++)
    mail += `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`;
  return `${mail}\r\ninnermost\r\n`;
}

const continuations = Array.from({ length: 50_000 }, (_, index) => ` name*${index}=x;`).join('\r\n');

export const bombs: Record<string, () => string> = {
  'spaces in quoted-printable, 2 MB': () => encoded('quoted-printable', times(' ', 2 * MB)),
  'spaces and a letter in quoted-printable': () =>
    encoded('quoted-printable', times(`${' '.repeat(70_000)}x`, MB)),
  'tabs and soft breaks in quoted-printable': () =>
    encoded('quoted-printable', times(`${'\t'.repeat(5000)}=\r\n`, MB)),
  'html of 10 MB': () => html(times('<p>word <b>bold</b></p>\r\n', 10 * MB)),
  'a million open div': () => html(times('<div>', 2 * MB)),
  'open tables': () => html(times('<table><tr><td>', 2 * MB)),
  'open bold and italic': () => html(times('<b><i>', 2 * MB)),
  'open links': () => html(times('<a href=x>', 2 * MB)),
  'open lists': () => html(times('<ul><li>', MB / 2)),
  'only less-than signs': () => html(times('<', 2 * MB)),
  'half comments': () => html(times('<!--', 2 * MB)),
  'words that look like links': () => plain(times('a.a.', 2 * MB)),
  'text of 10 MB': () => plain(times('some words of text\r\n', 10 * MB)),
  'an unknown charset, 5 MB of 0xFF': () =>
    encoded('8bit', times('\xff', 5 * MB), 'text/plain; charset=x-none'),
  'groups in groups': () => headed(`To: ${times('g: ', MB)}`),
  'groups in groups within the header bound': () => headed(`To: ${times('g: ', 120_000)}`),
  'angle brackets': () => headed(`To: ${times('<', MB)}`),
  quotes: () => headed(`To: ${times('"', 120_000)}`),
  'brackets of comments': () => headed(`To: ${times('(', 120_000)}`),
  'encoded words in a list': () => headed(`From: ${times('=?utf-8?Q?=C3=A4?= <a@b.c>, ', 120_000)}`),
  'encoded words in a subject': () => `Subject: ${times('=?utf-8?Q?=C3=A4?=\r\n ', 120_000)}\r\n\r\nx\r\n`,
  'half encoded words': () => headed(`X: ${times('=?', 120_000)}\r\nFrom: ${times('=?a?q?', 1000)}`),
  'utf-7': () => encoded('7bit', times('+AGE-', 5 * MB), 'text/plain; charset=utf-7'),
  'utf-7 for more time than there is': () =>
    encoded('7bit', times('+AGE-', 20 * MB), 'text/plain; charset=utf-7'),
  'bare line feeds, 5 MB': () => plain(times('\n', 5 * MB)),
  'empty lines, 10 MB': () => plain(times('\r\n', 10 * MB)),
  'format=flowed, 5 MB': () => encoded('7bit', times('> flowed \r\n', 5 * MB), 'text/plain; format=flowed'),
  'broken quoted-printable': () => encoded('quoted-printable', times('=Z=', 5 * MB)),
  'equals signs': () => encoded('quoted-printable', times('=', 5 * MB)),
  'continuations of one parameter': () => headed(`Content-Type: text/plain;\r\n${continuations}\r\n x=y`),
  'a boundary of 100 KB': () => headed(`Content-Type: multipart/mixed; boundary="${times('b', 100_000)}"`),
  '20,000 parts': () => multipart(times('--b\r\n\r\nx\r\n', 20_000 * 9)),
  '20,000 parts behind a boundary with a blank': () =>
    `Subject: bomb\r\nContent-Type: multipart/mixed; boundary="b c"\r\n\r\n${times('--b c\r\n\r\nx\r\n', 220_000)}`,
  'nested 20,000 deep': () => nested(20_000),
  'nested 500 deep': () => nested(500),
  '100,000 header lines': () => headed(times('X-Y: z\r\n', 800_000).trimEnd()),
  'a header line of 5 MB': () => headed(`X: ${times('x', 5 * MB)}`),
  'base64 without an end': () => encoded('base64', times('QUJD', 5 * MB)),
  'line ends in padded base64, 24 MB': () => encoded('base64', times('Cg==\r\n', 24 * MB)),
  'bad base64': () => encoded('base64', times('Q!', 5 * MB)),
  'a mail in a mail, 100 deep': () =>
    `Subject: bomb\r\n${times('Content-Type: message/rfc822\r\n\r\n', 100 * 32)}Subject: in\r\n\r\nx\r\n`,
  'yenc and uuencode markers': () => plain(times('begin 644 a\r\nM\r\nend\r\n', MB)),
};
