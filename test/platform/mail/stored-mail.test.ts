/** The forms in which a mail is stored, as values. test/features/ingest/one-frame.test.ts stores them. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { parseMail } from '../../../src/platform/mail/parse.ts';
import type { ParsedContent } from '../../../src/platform/mail/parsed.ts';
import {
  decodeContent,
  encodeContent,
  findWholeMail,
  type MailColumns,
  ONE_FRAME_CONTENT_BYTES,
  ONE_FRAME_MAIL_BYTES,
  packMail,
  readContent,
  readContentJson,
  readStoredPiece,
  repackMail,
} from '../../../src/platform/mail/stored-mail.ts';

const zstd = (bytes: Uint8Array) => Bun.zstdCompressSync(bytes as Uint8Array<ArrayBuffer>);
const pack = (content: Uint8Array, mail: Uint8Array): MailColumns => ({
  ...packMail({ content, isJson: true }, mail),
  size: mail.length,
});
const split = (content: Uint8Array, mail: Uint8Array): MailColumns => ({
  content: zstd(content),
  content_size: 0,
  bytes: zstd(mail),
  size: mail.length,
});
const readBoth = (row: MailColumns) => [
  Buffer.from(readContentJson(row)),
  Buffer.from(readStoredPiece(findWholeMail(row)!)),
];
const fill = (bytes: number) => Buffer.alloc(bytes, 'a line of text\r\n');

test('a packed mail is read back byte for byte, from one frame and repacked from two', () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 2_000 });
  fc.assert(
    fc.property(bytes, bytes, (content, mail) => {
      const both = [Buffer.from(content), Buffer.from(mail)];
      expect(readBoth(pack(content, mail))).toEqual(both);
      const old = split(content, mail);
      expect(readBoth(old)).toEqual(both);
      const repacked = repackMail(old);
      if (repacked) expect(readBoth({ ...repacked, size: mail.length })).toEqual(both);
    }),
  );
});

test.each([
  ['at both bounds', ONE_FRAME_CONTENT_BYTES, ONE_FRAME_MAIL_BYTES, true],
  ['one byte of mail above', 10, ONE_FRAME_MAIL_BYTES + 1, false],
  ['one byte of content above', ONE_FRAME_CONTENT_BYTES + 1, 10, false],
  ['an empty mail', 10, 0, true],
  ['no content', 0, 10, false],
])('%s, a mail is stored in one frame or in two', (_, contentBytes, mailBytes, isOne) => {
  const [content, mail] = [fill(contentBytes), fill(mailBytes)];
  const row = pack(content, mail);
  expect([row.content_size > 0, row.bytes === null]).toEqual([isOne, isOne]);
  expect(readBoth(row)).toEqual([content, mail]);
  expect(repackMail(split(content, mail)) !== null).toBe(isOne);
});

test('content that the parser compressed stays in a frame of its own', () => {
  const [content, mail] = [fill(100), fill(200)];
  const row = { ...packMail({ content: zstd(content), isJson: false }, mail), size: mail.length };
  expect(row.content_size).toBe(0);
  expect(readBoth(row)).toEqual([content, mail]);
});

test('a frame that is not as long as its row says is damaged', () => {
  const row = pack(fill(100), fill(200));
  for (const wrong of [{ size: 199 }, { size: 201 }, { content_size: 99 }, { content_size: 301 }]) {
    expect(() => readContentJson({ ...row, ...wrong })).toThrow('is damaged');
    expect(() => readStoredPiece(findWholeMail({ ...row, ...wrong })!)).toThrow('is damaged');
  }
  for (const content of [row.content.slice(0, -1), row.content.slice(5), new Uint8Array(), fill(50)])
    expect(() => readContentJson({ ...row, content })).toThrow();
});

test('a mail that is damaged, or a decompression bomb, keeps its form', () => {
  const row = split(fill(1_000), fill(1_000));
  const bomb = zstd(new Uint8Array(64 * 1024 * 1024));
  expect(repackMail(row)).not.toBeNull();
  for (const wrong of [
    { size: 999 },
    { content: bomb },
    { bytes: bomb },
    { content: new Uint8Array() },
    { bytes: row.bytes!.slice(0, -1) },
    { bytes: null },
    pack(fill(1_000), fill(1_000)),
  ])
    expect(repackMail({ ...row, ...wrong })).toBeNull();
});

const page = '<p>Your code is <b>482913</b></p>\r\n<p>It is valid for ten minutes.</p>';
const part = (type: string, body: string, encoding = '7bit') =>
  `Content-Type: text/${type}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}\r\n`;
const alternative = (...parts: string[]) =>
  `Content-Type: multipart/alternative; boundary=b\r\n\r\n${parts.map((one) => `--b\r\n${one}`).join('')}--b--\r\n`;

/** Says for which texts the stored JSON has only a range. */
const forms: [string, string, string[]][] = [
  ['text', part('plain', 'Your code is 482913.\r\n\r\nBye'), ['text_range']],
  ['text with bare line ends', 'Content-Type: text/plain\n\nYour code is 482913.\n\nBye\n', ['text_range']],
  ['HTML', part('html', page), ['html_range']],
  [
    'both',
    alternative(part('plain', 'The code is 482913.'), part('html', page)),
    ['html_range', 'text_range'],
  ],
  [
    'encoded HTML',
    alternative(part('plain', 'a 482913'), part('html', 'PGI+NDgyOTEzPC9iPg==', 'base64')),
    ['text_range'],
  ],
  ['text beyond ASCII', part('plain', 'Ihr Schlüssel: 482913', '8bit'), []],
  ['quoted-printable', part('plain', 'Ihr Schl=C3=BCssel: 482913', 'quoted-printable'), []],
  ['two texts', alternative(part('plain', 'one 482913'), part('plain', 'two')), []],
  ['an attachment', alternative(part('plain', 'x'), 'Content-Type: image/png\r\n\r\nabc\r\n'), []],
  ['no text', 'Subject: x\r\n\r\n', []],
];

test.each(forms)('a mail with %s is read back, and no text is stored twice', async (_, body, ranges) => {
  const mail = Buffer.from(`Subject: Hello\r\n${body}`.replace(/^Subject: Hello\r\n(?=Subject)/, ''));
  const parsed = await parseMail(mail);
  const given = encodeContent(parsed.content, parsed.ranges, mail.length);
  const row = { ...packMail(given, mail), size: mail.length };
  expect(readContent(row)).toEqual(parsed.content);
  expect(JSON.parse(readContentJson(row).toString())).toEqual(parsed.content);
  expect(decodeContent(given, mail)).toEqual(parsed.content);
  const stored = JSON.parse(given.content.toString()) as object;
  const pointed = Object.keys(stored).filter((key) => key.endsWith('_range'));
  expect(pointed.sort()).toEqual(ranges);
  for (const name of ['text', 'html']) expect(name in stored).toBe(!ranges.includes(`${name}_range`));
});

test('content that does not fit into one frame contains its texts', async () => {
  const mail = Buffer.from(part('plain', 'Your code is 482913.'));
  const { content, ranges } = await parseMail(mail);
  const otpContext = 'x'.repeat(ONE_FRAME_CONTENT_BYTES);
  const large: ParsedContent = { ...content, otp_context: otpContext };
  const row = { ...packMail(encodeContent(large, ranges, mail.length), mail), size: mail.length };
  expect([ranges?.text !== null, row.content_size]).toEqual([true, 0]);
  expect(readContent(row)).toEqual(large);
});

test('a range that a broken parser made up yields at most a piece of the mail, or an error', () => {
  const mail = Buffer.from(part('plain', 'Your code is 482913.'));
  const end = fc.oneof(fc.integer(), fc.double(), fc.string(), fc.constantFrom(null, true, {}, [], 2 ** 53));
  fc.assert(
    fc.property(fc.oneof(fc.array(end, { maxLength: 3 }), end), (textRange) => {
      const content = Buffer.from(JSON.stringify({ html: '', text_range: textRange }));
      const row = pack(content, mail);
      let text: string;
      try {
        ({ text } = readContent(row));
      } catch {
        return;
      }
      expect(mail.toString().replaceAll('\r\n', '\n')).toContain(text);
    }),
  );
});
