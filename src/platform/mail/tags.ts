import { TAG, TAGS_MAX } from '../../rules/tags.ts';

/**
 * The tags of a mail's X-Tags headers as written: what stands between commas and is a tag, in order, each once. The
 * rest is dropped, as is all beyond TAGS_MAX.
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

/** RFC 2047: Python's email encodes a header of ASCII too when it is long and has no blank to fold at. */
const ENCODED = /=\?[\w-]{1,40}\?([qb])\?([^?\s]*)\?=(?:\s+(?==\?))?/gi;

/** Byte by byte: a tag has only ASCII. */
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
