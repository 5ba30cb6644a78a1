/** Links in plain text. Other schemes, and addresses with characters that change the direction of text, stay text. */

export interface TextPiece {
  text: string;
  isLink: boolean;
}

/** A page with more links to click becomes slow; those beyond stay text. */
const LINKS_MAX = 1_000;
const URL_CHARS_MAX = 4_096;
const LINK = /\b(?:https?:\/\/|mailto:)[^\s<>"`{}|\\^\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]+/gi;
const ENDS = new Set(`.,;:!?'*_~]`);

export function cutLinks(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  let at = 0;
  let links = 0;
  for (const found of text.matchAll(LINK)) {
    if (links === LINKS_MAX) break;
    const url = found[0].slice(0, findEnd(found[0]));
    if (url.length > URL_CHARS_MAX || !URL.canParse(url)) continue;
    if (found.index > at) pieces.push({ text: text.slice(at, found.index), isLink: false });
    pieces.push({ text: url, isLink: true });
    at = found.index + url.length;
    links += 1;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), isLink: false });
  return pieces;
}

/** Punctuation after a link belongs to the sentence, and so does a bracket that the link did not open. */
function findEnd(url: string): number {
  const opensBracket = url.includes('(');
  let end = url.length;
  while (end > 0 && (ENDS.has(url[end - 1]!) || (url[end - 1] === ')' && !opensBracket))) end--;
  return end;
}
