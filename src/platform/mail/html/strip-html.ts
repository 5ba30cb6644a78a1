import { decodeHTML } from 'entities/decode';

/** Characters without width, with which newsletters pad their previews. They would also split words in a search. */
const INVISIBLE = /\u034f|[\u00ad\u200b-\u200f\u2060\ufeff]/g;

/**
 * Returns roughly what a reader of the HTML sees, in linear time. visible-text.ts reads more closely, and
 * slower.
 */
export function stripHtml(html: string): string {
  const shown = html
    .replace(/<!--[\s\S]*?(?:-->|$)/g, ' ')
    .split(/<(?=style\b|script\b|title\b)/i)
    .map((piece, index) => (index === 0 ? piece : dropElement(piece)))
    .join(' ')
    .replace(/<[^<>]*>/g, ' ');
  return decodeHTML(shown).replace(INVISIBLE, '');
}

/** Drops the element at the beginning of a piece, whose `<` is missing. Drops only its tag if it is never closed. */
function dropElement(piece: string): string {
  const closing = /<\/(?:style|script|title)\s*>/i.exec(piece);
  return closing ? piece.slice(closing.index + closing[0].length) : `<${piece}`;
}
