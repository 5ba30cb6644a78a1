import { TAG, TAGS_MAX } from '../../rules/tags.ts';
import { decodeAsciiWords } from './ascii-words.ts';

/**
 * Reads the tags of a mail's X-Tags headers, which are separated by commas: in order, each once. Drops whatever is
 * not a tag, and everything beyond TAGS_MAX.
 */
export function readTags(headers: readonly string[]): string[] {
  const tags = new Set<string>();
  for (const header of headers) {
    for (const word of decodeAsciiWords(header).split(',')) {
      const tag = word.trim();
      if (TAG.test(tag)) tags.add(tag);
      if (tags.size === TAGS_MAX) return [...tags];
    }
  }
  return [...tags];
}
