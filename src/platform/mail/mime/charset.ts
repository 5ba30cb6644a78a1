import { isAscii, isUtf8 } from 'node:buffer';
import { guessCharset } from './charset-guess.ts';

/*
 * Text whose charset is not declared, not known, or declared as ASCII, UTF-8 or Latin-1 by a mailer that writes something
 * else. Both lanes read it here: as UTF-8 when it is, else as another script when there is no doubt, else as
 * windows-1252, as mail clients do.
 */

/** Names that say no more than "ASCII, or something that contains it", in lower case, letters and digits only. */
// biome-ignore format: by kind
const UNSPECIFIC = new Set([
  '', 'utf8',
  'ascii', 'ascii8bit', 'csascii', 'us', 'usascii', 'iso646us', 'iso646irv', 'isoir6',
  'ansix34', 'ansix341968', 'ansix341986', 'cp367', 'ibm367',
  // Encodings of bytes.
  '7bit', '8bit', 'binary',
]);

/** Whether the bytes say more than the name. */
export function isUnspecific(charset: string): boolean {
  return UNSPECIFIC.has(simplify(charset));
}

/** As mailparser compares names. */
const UTF_8_NAMES = new Set(['ascii', 'usascii', 'utf8']);

/** Whether mailparser takes it for UTF-8. */
export function isUtf8Name(charset: string): boolean {
  return UTF_8_NAMES.has(simplify(charset));
}

function simplify(charset: string): string {
  return charset.toLowerCase().replace(/[^a-z0-9]+/g, '');
}

/** Begins two-byte characters in ISO-2022-JP. Old Japanese mailers use it without a declaration, above all in headers. */
export const JAPANESE_ESCAPE = '\x1b$';

const decoders = {
  japanese: new TextDecoder('iso-2022-jp'),
  utf16le: new TextDecoder('utf-16le'),
  utf16be: new TextDecoder('utf-16be'),
};

const ESCAPE = 0x1b;

/** Whether it is in UTF-8 and nothing else, as nearly all text is. */
export function isPlainUtf8(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(ESCAPE);
}

/** @param decodeOther For what is not Unicode, when more is known about it. */
export function decodeUnspecific(bytes: Buffer, decodeOther = decodeLegacy): string {
  const text = bytes.toString();
  if (bytes.includes(ESCAPE) && text.includes(JAPANESE_ESCAPE)) return decodeJapanese(bytes, text);
  if (isUtf8(bytes)) return text;
  // In any text of a few words a space or a line end has a byte of zero.
  const mark = bytes.length > 1 && bytes.includes(0) ? bytes.readUInt16BE(0) : 0;
  if (mark === 0xfffe) return decoders.utf16le.decode(bytes);
  if (mark === 0xfeff) return decoders.utf16be.decode(bytes);
  return isMostlyUtf8(text) ? text : decodeOther(bytes);
}

/** Text that is not Unicode. */
function decodeLegacy(bytes: Buffer): string {
  return decodeHtml(bytes) ?? new TextDecoder(guessCharset(bytes) ?? 'windows-1252').decode(bytes);
}

/** Charsets that some mailers declare out of habit, by their compared names, as browsers read them. */
const WESTERN: ReadonlyMap<string, Bun.Encoding> = new Map([
  ['iso88591', 'windows-1252'],
  ['latin1', 'windows-1252'],
  ['windows1252', 'windows-1252'],
  ['cp1252', 'windows-1252'],
  ['iso885915', 'iso-8859-15'],
]);

/** A character that is three bytes long or more, two shorter ones, or one after a small letter. */
const SURELY_UTF8 = /[\u0800-\uffff]|[\x80-\u07ff][\s\S]*[\x80-\u07ff]|[a-z][\xa1-\u07ff]/;

/**
 * Reads a text that is declared as Latin-1 and may be UTF-8; null for other charsets. Western text is UTF-8 by chance only
 * where its one letter beyond ASCII is a capital before a sign or a no-break space.
 */
export function findWestern(charset: string): ((bytes: Buffer) => string) | null {
  const name = WESTERN.get(simplify(charset));
  if (!name) return null;
  return (bytes) => {
    const text = isUtf8(bytes) ? bytes.toString() : '';
    return isAscii(bytes) || SURELY_UTF8.test(text) ? text : new TextDecoder(name).decode(bytes);
  };
}

/** How far a browser looks for the charset of HTML, bytes. */
const HTML_HEAD_BYTES = 1024;
const HTML_CHARSET = /<meta\s[^>]{0,200}?charset\s{0,9}=[\s"']{0,9}([\w-]{1,40})/i;

/** HTML that says itself what it is written in; null for any other text. */
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

/** A text in UTF-8 with a broken character, such as one that was cut in the middle. Other charsets rarely look like it. */
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
