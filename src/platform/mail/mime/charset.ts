import { isAscii, isUtf8 } from 'node:buffer';
import { guessCharset, hasRuns } from './charset-guess.ts';
import { decodeKorean, findShifted, KOREAN_ESCAPE } from './shifted-charset.ts';

/*
 * Decides the charset of a text or a header field, in both lanes, by what is declared:
 *
 * - Nothing, an unknown name, ASCII or UTF-8 (`decodeUnspecific`): the bytes decide. The first that fits of ISO-2022-KR,
 *   ISO-2022-JP, UTF-8, UTF-16 with a byte order mark, UTF-8 with a few broken characters, for a header field the charset
 *   of its part, the charset that HTML names itself, a guess (charset-guess.ts), and windows-1252.
 * - Latin-1 and its relatives (`findWestern`), which some mailers declare whatever they send: ISO-2022-JP, UTF-8 if it can
 *   hardly be anything else, a guess of another script, otherwise as browsers read it.
 * - ISO-2022-KR, ISO-2022-CN and HZ (shifted-charset.ts): UTF-8 if it has its characters, otherwise as declared.
 * - Any other charset that libmime knows: as declared. mailparser decodes it.
 */

/** Names that say no more than "ASCII, or something that contains it", in their compared form (`simplify`). */
// biome-ignore format: by kind
const UNSPECIFIC = new Set([
  '', 'utf8',
  'ascii', 'ascii8bit', 'csascii', 'us', 'usascii', 'iso646us', 'iso646irv', 'isoir6',
  'ansix34', 'ansix341968', 'ansix341986', 'cp367', 'ibm367',
  // Transfer encodings, mistaken for charsets.
  '7bit', '8bit', 'binary',
]);

/** Whether the name says so little that the bytes decide. */
export function isUnspecific(charset: string): boolean {
  return UNSPECIFIC.has(simplify(charset));
}

const UTF_8_NAMES = new Set(['ascii', 'usascii', 'utf8']);

/** Whether mailparser reads this charset as UTF-8. */
export function isUtf8Name(charset: string): boolean {
  return UTF_8_NAMES.has(simplify(charset));
}

/** The form in which names are compared, as mailparser compares them. */
function simplify(charset: string): string {
  return charset.toLowerCase().replace(/[^a-z0-9]+/g, '');
}

/** Begins two-byte characters in ISO-2022-JP. Old Japanese mailers use it undeclared, most of all in headers. */
export const JAPANESE_ESCAPE = '\x1b$';

const decoders = {
  japanese: new TextDecoder('iso-2022-jp'),
  utf16le: new TextDecoder('utf-16le'),
  utf16be: new TextDecoder('utf-16be'),
};

const ESCAPE = 0x1b;

/** Whether the bytes are ASCII and can't be ISO-2022-JP. */
export function isPlainAscii(bytes: Buffer): boolean {
  return isAscii(bytes) && !bytes.includes(ESCAPE);
}

/** Whether the bytes are UTF-8 and can't be ISO-2022-JP, like nearly all text. */
export function isPlainUtf8(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(ESCAPE);
}

/**
 * Decodes a text whose declared charset says nothing.
 *
 * @param decodeOther decodes what is not Unicode, where more is known about it.
 */
export function decodeUnspecific(bytes: Buffer, decodeOther = decodeLegacy): string {
  const text = bytes.toString();
  if (bytes.includes(ESCAPE)) {
    if (text.includes(KOREAN_ESCAPE)) return decodeKorean(bytes);
    if (text.includes(JAPANESE_ESCAPE)) return decodeJapanese(bytes, text);
  }
  if (isUtf8(bytes)) return text;
  // In UTF-16, a space and a line end have a byte of zero, and any text of a few words has one of them.
  const mark = bytes.length > 1 && bytes.includes(0) ? bytes.readUInt16BE(0) : 0;
  if (mark === 0xfffe) return decoders.utf16le.decode(bytes);
  if (mark === 0xfeff) return decoders.utf16be.decode(bytes);
  return isMostlyUtf8(text) ? text : decodeOther(bytes);
}

function decodeLegacy(bytes: Buffer): string {
  return decodeHtml(bytes) ?? new TextDecoder(guessCharset(bytes) ?? 'windows-1252').decode(bytes);
}

/** Charsets that some mailers declare out of habit, by their compared form, and how browsers read them. */
const WESTERN: ReadonlyMap<string, Bun.Encoding> = new Map([
  ['iso88591', 'windows-1252'],
  ['latin1', 'windows-1252'],
  ['windows1252', 'windows-1252'],
  ['cp1252', 'windows-1252'],
  ['iso885915', 'iso-8859-15'],
]);

/** A character of three bytes or more, two shorter ones, or one after a small letter. */
const SURELY_UTF8 = /[\u0800-\uffff]|[\x80-\u07ff][\s\S]*[\x80-\u07ff]|[a-z][\xa1-\u07ff]/;

/**
 * Returns a decoder for text that is declared as Latin-1 but may be UTF-8; null for other charsets. Western text can
 * be valid UTF-8 by chance if it has a capital before a sign or a no-break space (`É»`), so one such pair is not
 * enough.
 */
export function findWestern(charset: string): ((bytes: Buffer) => string) | null {
  const name = WESTERN.get(simplify(charset));
  if (!name) return null;
  return (bytes) => {
    if (isAscii(bytes)) return bytes.includes(ESCAPE) ? decodeUnspecific(bytes) : bytes.toString();
    const text = isUtf8(bytes) ? bytes.toString() : '';
    if (SURELY_UTF8.test(text)) return text;
    const guess = hasRuns(bytes) ? guessCharset(bytes) : null;
    return new TextDecoder(guess ?? name).decode(bytes);
  };
}

/** Returns the decoder of a text in seven bits that is not ASCII; undefined for other charsets. Some mailers send UTF-8 all the same. */
export function findSevenBit(charset: string | false = false): ((bytes: Buffer) => string) | undefined {
  const decode = charset === false ? undefined : findShifted(simplify(charset));
  return decode && ((bytes) => (isUtf8(bytes) && !isAscii(bytes) ? bytes.toString() : decode(bytes)));
}

/** Bytes at the start of HTML in which a browser looks for its charset. */
const HTML_HEAD_BYTES = 1024;
const HTML_CHARSET = /<meta\s[^>]{0,200}?charset\s{0,9}=[\s"']{0,9}([\w-]{1,40})/i;

/** Decodes HTML that names its own charset; null for any other text. */
function decodeHtml(bytes: Buffer): string | null {
  const charset = HTML_CHARSET.exec(bytes.toString('latin1', 0, HTML_HEAD_BYTES))?.[1];
  if (!charset || isUnspecific(charset)) return null;
  try {
    return new TextDecoder(charset as Bun.Encoding).decode(bytes);
  } catch {
    return null;
  }
}

function decodeJapanese(bytes: Buffer, text: string): string {
  const decoded = decoders.japanese.decode(bytes);
  return decoded.includes('\ufffd') ? text : decoded;
}

/**
 * Whether it is UTF-8 with a few broken characters, such as one that was cut in two. Other charsets rarely look like
 * it.
 */
function isMostlyUtf8(text: string): boolean {
  let whole = 0;
  let broken = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd) broken += 1;
    else if (code > 0x7f) whole += 1;
  }
  return whole > broken;
}
