import { decodeUnspecific, findSevenBit, findWestern, isUnspecific, isUtf8Name } from './charset.ts';

/*
 * Encoded words (RFC 2047) and encoded parameters (RFC 2231) as mailers really write them. libmime, which mailparser
 * uses for both, expects what the RFCs require.
 */

/** Whether the name says what a text is written in, and libmime can decode it. */
export function isKnownCharset(charset: string | false = '', libmime: WordDecoder): charset is string {
  return charset !== false && !isUnspecific(charset) && libmime.createDecodeStream(charset).supported;
}

/** The functions of a parser's libmime that are used here. */
export interface WordDecoder {
  decodeWord(charset: string, encoding: string, text: string): string;
  decodeWords(text: string): string;
  decodeHeader(line: string): { value: string };
  createDecodeStream(charset: string): { supported: boolean };
  parseHeaderValue(
    value: string,
    options: { stripComments: boolean },
  ): { params: Record<string, string>; decodedParams: string[] };
}

/**
 * Changes how libmime decodes words: one whose charset says nothing, is unknown, or is not the true one is read like
 * a text with that charset (charset.ts).
 *
 * @param getCharset returns the charset of the part that the header belongs to, as for toUtf8Field.
 */
export function decodeLeniently(libmime: WordDecoder, getCharset: () => string | false): void {
  const decodeWord = libmime.decodeWord.bind(libmime);
  libmime.decodeWord = (given, encoding, text) => {
    // A language follows the star (RFC 2231 5).
    const [charset = ''] = given.split('*', 1);
    const readBytes = () => Buffer.from(decodeWord('binary', encoding, text), 'latin1');
    const sevenBit = findSevenBit(charset);
    if (sevenBit) return sevenBit(readBytes());
    if (isKnownCharset(charset, libmime))
      return findWestern(charset)?.(readBytes()) ?? decodeWord(given, encoding, text);
    // Most words are in UTF-8, as they say.
    const decoded = isUtf8Name(charset) ? decodeWord('utf-8', encoding, text) : '\ufffd';
    if (!decoded.includes('\ufffd')) return decoded;
    return decodeOwn(readBytes(), libmime, getCharset());
  };
}

/**
 * Converts a header field to UTF-8, which mailparser expects. Before and after, each character of the string is one
 * byte.
 *
 * @param charset of the part that the header belongs to: text that the mailer did not encode is often in it.
 */
export function toUtf8Field(line: string, libmime: WordDecoder, charset: string | false): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it begins Japanese characters.
  if (!/[\x1b\x80-\xff]/.test(line)) return line;
  return Buffer.from(decodeOwn(Buffer.from(line, 'latin1'), libmime, charset)).toString('latin1');
}

function decodeOwn(bytes: Buffer, libmime: WordDecoder, charset: string | false): string {
  if (!isKnownCharset(charset, libmime)) return decodeUnspecific(bytes);
  const decodeOther =
    findWestern(charset) ?? (() => libmime.decodeWord(charset, 'B', bytes.toString('base64')));
  return decodeUnspecific(bytes, decodeOther);
}

/**
 * An encoded word whose text may contain question marks. Its length is bounded, so that a stranger's header takes
 * linear time; a longer word with a question mark stays encoded.
 */
const WORD = /=\?([^?\s]{1,40})\?([qb])\?((?:[^?\r\n]|\?(?!=)){0,500})\?=/gi;

/**
 * The beginning of a word that libmime would not find. Checked first, because most lines have none and WORD is slow.
 */
const ODD_WORD = /=\?(?!=|[\w*-]{1,40}\?[qb]\?[^?]*\?=)/i;

/**
 * Rewrites words so that libmime finds them: no question mark in the text, and only `\w`, `*` and `-` in the charset.
 */
export function tidyWords(line: string): string {
  if (!line.includes('=?') || !ODD_WORD.test(line)) return line;
  return line.replace(
    WORD,
    (_, charset: string, encoding: string, text: string) =>
      `=?${charset.replace(/[^\w*-]/g, '-')}?${encoding}?${text.replaceAll('?', '=3F')}?=`,
  );
}

/**
 * The charset is bounded and the text ends at the next question mark, so that a stranger's header takes linear time.
 */
const Q_WORD = /(=\?[^?\s]{1,40}\?q\?)([^?\r\n]*)(?=\?=)/gi;

/**
 * Encodes the characters within encoded words that separate addresses. Many senders don't, although RFC 2047 5 (3)
 * requires it: `=?utf-8?q?Shop:_Orders?= <a@shop.example>`. mailparser splits addresses before it decodes names, so it
 * would lose half the name, or mistake an address in the name for the sender's.
 */
export function encodeSpecials(line: string): string {
  if (!line.includes('=?')) return line;
  return line.replace(
    Q_WORD,
    (_, start: string, text: string) =>
      start +
      text.replace(
        // A word of a name and an address (Alertmanager's From) is shown whole: mailparser would drop it at its @.
        /<|=3C/i.test(text) ? /["(),:;<>@\\]/g : /["(),:;<>\\]/g,
        (special) => `=${special.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
      ),
  );
}
