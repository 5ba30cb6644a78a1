/**
 * An encoded word (RFC 2047) with the blanks before the next one. Python's `email` package writes one for a long ASCII
 * value without a blank to fold at, even for a Message-ID, which must not be encoded. The bounds are generous, and keep
 * a stranger's header linear.
 */
const ENCODED_WORD = /=\?[\w-]{1,40}\?([qb])\?([^?\s]{0,100})\?=(?:[ \t\r\n]{1,4}(?==\?))?/gi;

/** Decodes the encoded words of a value that is ASCII once they are decoded, whatever charset they name. */
export function decodeAsciiWords(field: string): string {
  if (!field.includes('=?')) return field;
  return field.replace(ENCODED_WORD, (_, encoding: string, text: string) =>
    encoding.toLowerCase() === 'b' ? Buffer.from(text, 'base64').toString() : decodeQ(text),
  );
}

function decodeQ(text: string): string {
  return text
    .replaceAll('_', ' ')
    .replace(/=([\da-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}
