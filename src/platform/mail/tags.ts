import { TAG, TAGS_MAX } from '../../rules/tags.ts';

/**
 * Reads the tags of a mail's X-Tags headers, which are separated by commas: in order, each once. Drops whatever is
 * not a tag, and everything beyond TAGS_MAX.
 */
export function readTags(headers: readonly string[]): string[] {
  const tags = new Set<string>();
  for (const header of headers) {
    for (const word of decodeWords(header).split(',')) {
      const tag = word.trim();
      if (TAG.test(tag)) tags.add(tag);
      if (tags.size === TAGS_MAX) return [...tags];
    }
  }
  return [...tags];
}

/** An encoded word. Python's email package also encodes a long ASCII header that has no blank to fold at. */
const ENCODED = /=\?[\w-]{1,40}\?([qb])\?([^?\s]*)\?=(?:\s+(?==\?))?/gi;

/** Decodes encoded words (RFC 2047) as ASCII, whatever their charset: a tag has nothing else. */
function decodeWords(header: string): string {
  return header.replace(ENCODED, (_, encoding: string, text: string) =>
    encoding.toLowerCase() === 'b' ? Buffer.from(text, 'base64').toString('latin1') : decodeQ(text),
  );
}

function decodeQ(text: string): string {
  return text
    .replaceAll('_', ' ')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
