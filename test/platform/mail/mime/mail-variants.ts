/**
 * Variants of mails, to compare two parsers: what mailers write differently, and what breaks. Each is generated from a
 * seed, and is the same every time.
 */

/** A small generator of pseudo-random numbers (mulberry32). */
export function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

type Pick = (below: number) => number;
/** Changes a mail, in which each character is one byte. */
type Change = (mail: string, pick: Pick) => string;

const HEADER_LINES = [
  'Content-Type: text/plain',
  'Content-Type: text/html; charset="utf-8"',
  'Content-Type: text/plain; format=flowed',
  'Content-Type: text/plain; boundary=b',
  'Content-Type: multipart/mixed; boundary="b"',
  'Content-Type: multipart/alternative; boundary=b (comment)',
  'Content-Type: application/octet-stream; name=a.bin',
  'Content-Type:',
  'Content-Type: text',
  'Content-Type: text/html, charset=utf-8',
  'Content-Type: multipart/mixed; charset=koi8-r; boundary="b"',
  'Content-Transfer-Encoding: base64',
  'Content-Transfer-Encoding: Quoted-Printable (as it is)',
  'Content-Transfer-Encoding: 8bit',
  'Content-Transfer-Encoding: uuencode',
  'Content-Disposition: inline',
  'Content-Disposition: attachment; filename="a.txt"',
  'Content-ID: <a@b>',
  'From: =?utf-8?B?w4RubmU=?= <anne@example.org>, "B, C" <b@c.example>',
  'To: group: a@b.example, c@d.example;',
  'Subject: =?iso-8859-1?Q?caf=E9?= =?utf-8?Q?_x?=',
  'Subject: second',
  'Subject: Gr\xfc\xdfe',
  'Subject: \x1b$B$3$s\x1b(B',
  'Subject: =?us-ascii?Q?Gr=FC=DFe??=',
  'Date: Mon, 23 Nov 2026 08:00:00 +0100 (CET)',
  'Date: tomorrow',
  'Message-ID: no-brackets@example.org',
  'References: <a@b> <c@d>',
  'X-Tags: one, two',
  '--b',
  ': no name',
  'no colon at all',
  ' folded',
  '\tfolded too',
];

const PIECES = [
  '\r',
  '\n',
  '\r\n',
  '\r\n\r\n',
  '\n\n',
  '\0',
  '=',
  '=\r\n',
  '=3D',
  '=zz',
  '--',
  '--b',
  '--b--',
  '\r\n--b\r\n',
  '\r\n--b--\r\n',
  '\r\n--b \t\r\n',
  '\r\n--bb\r\n',
  '\n--b\n',
  ' ',
  '\t',
  'é',
  '\xff',
  '\xe2\x80\xa8',
  '\x1b$B',
  '"',
  '(',
  ')',
  ';',
  '<',
  '>',
  '.\r\n',
  'QUJD',
  'QUI=',
  '====',
  'Content-Type: text/html\r\n\r\n',
  'a'.repeat(1100),
  'From x\r\n',
  '\ufeff'.replace('\ufeff', '\xef\xbb\xbf'),
];

const lines = (mail: string) => mail.split('\n');
const findBoundary = (mail: string) => /boundary="?([^"\s;]+)/i.exec(mail)?.[1];

const changes: Change[] = [
  (mail, pick) => cutIn(mail, pick, PIECES[pick(PIECES.length)]!, 0),
  (mail, pick) => cutIn(mail, pick, PIECES[pick(PIECES.length)]!, pick(8)),
  (mail, pick) => cutIn(mail, pick, '', 1 + pick(30)),
  (mail, pick) => mail.slice(0, pick(mail.length + 1)),
  (mail, pick) => mail.slice(pick(40)),
  (mail) => mail.replace(/\r\n/g, '\n'),
  (mail) => mail.replace(/\r?\n/g, '\r\n'),
  (mail, pick) => mail.replace(/\r?\n/g, (end) => (pick(9) === 0 ? '\n' : end)),
  (mail) => mail.trimEnd(),
  (mail, pick) => mail + '\r\n'.repeat(1 + pick(3)),
  // A line in another place, twice, or left out; one more field in the header of the mail or of a part.
  (mail, pick) => spliceLine(mail, pick, (all, at) => [all[pick(all.length)]!, all[at]!]),
  (mail, pick) => spliceLine(mail, pick, (all, at) => [all[at]!, all[at]!]),
  (mail, pick) => spliceLine(mail, pick, () => []),
  (mail, pick) => `${HEADER_LINES[pick(HEADER_LINES.length)]}\r\n${mail}`,
  (mail, pick) =>
    spliceLine(mail, pick, (all, at) => [`${HEADER_LINES[pick(HEADER_LINES.length)]}\r`, all[at]!]),
  (mail, pick) =>
    mail.replace(/content-type/i, ['Content-type', 'CONTENT-TYPE', 'Content-Type ', 'X-Type'][pick(4)]!),
  (mail, pick) =>
    mail.replace(
      /charset="?[-\w]+"?/i,
      `charset=${['utf8', '"US-ASCII"', 'latin1', "''utf-8", 'x', '', 'koi8-r'][pick(7)]}`,
    ),
  (mail, pick) =>
    mail.replace(
      /(quoted-printable|base64|7bit|8bit)/i,
      ['base64', 'quoted-printable', '7bit', 'x'][pick(4)]!,
    ),
  (mail, pick) =>
    mail.replace(
      /multipart\/\w+/i,
      `multipart/${['mixed', 'related', 'alternative', 'report', 'MIXED'][pick(5)]}`,
    ),
  (mail, pick) =>
    withBoundary(
      mail,
      (b) => [b.slice(0, -1), `${b}x`, `${b} `, b.toUpperCase(), 'b', `${b}--`][pick(6)]!,
      pick(2),
    ),
  (mail, pick) => {
    const b = findBoundary(mail) ?? 'b';
    const line = [`--${b}`, `--${b}--`, `--${b} `, `--${b}x`, ` --${b}`, `--${b}--x`, `-- ${b}`][pick(7)];
    return spliceLine(mail, pick, (all, at) => [`${line}\r`, all[at]!]);
  },
];

function cutIn(mail: string, pick: Pick, piece: string, removed: number): string {
  const at = pick(mail.length + 1);
  return mail.slice(0, at) + piece + mail.slice(at + removed);
}

function spliceLine(mail: string, pick: Pick, make: (all: string[], at: number) => string[]): string {
  const all = lines(mail);
  const at = pick(all.length);
  return [...all.slice(0, at), ...make(all, at), ...all.slice(at + 1)].join('\n');
}

/** Changes the boundary, in the header section only or everywhere. */
function withBoundary(mail: string, change: (boundary: string) => string, everywhere: number): string {
  const boundary = findBoundary(mail);
  if (!boundary) return mail;
  return everywhere ? mail.replaceAll(boundary, change(boundary)) : mail.replace(boundary, change(boundary));
}

/** Returns a variant of a mail, with one to four changes. */
export function makeVariant(mail: Uint8Array, seed: number): Buffer {
  const pick = seeded(seed);
  let text = Buffer.from(mail).toString('latin1');
  for (let left = 1 + pick(4); left > 0; left--) text = changes[pick(changes.length)]!(text, pick);
  return Buffer.from(text, 'latin1');
}
