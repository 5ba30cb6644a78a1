/** The form of text in the search index. Pure. */

import { fold } from '../../rules/fold.ts';

/** Ends indexed text, so that its last two characters also begin a trigram. */
const PAD = '\u0001\u0001';

/** Returns a subject in the form of the index. A sender also goes through `markSender`. */
export function formatIndexText(text: string): string {
  return fold(text) + PAD;
}

const SENDER_PLANE = 0xf0000;

/**
 * Moves text to a private-use plane, so that senders and subjects share no trigrams: a word in a million senders costs
 * nothing in a search of subjects. Characters beyond the first plane stay, and only the column distinguishes them.
 */
export function markSender(folded: string): string {
  const characters: number[] = [];
  for (const character of folded) {
    const code = character.codePointAt(0)!;
    characters.push(code < 0x10000 ? SENDER_PLANE + code : code);
  }
  return String.fromCodePoint(...characters);
}

/** Splits text into every three consecutive characters (code points), like SQLite's trigram tokenizer. */
export function splitTrigrams(text: string): string[] {
  const characters = Array.from(text);
  return characters.slice(2).map((last, at) => `${characters[at]}${characters[at + 1]}${last}`);
}

/** Earlier versions did not fold ς at the end of a word to σ (rules/fold.ts), so their index entries have it. */
const FINAL_SIGMAS = new Map([
  ['σ', 'ς'],
  [markSender('σ'), markSender('ς')],
]);

/** Lists the forms that a part of a folded text may have in an index. */
export function listSpellings(part: string): string[] {
  let spellings = [''];
  for (const character of part) {
    const final = FINAL_SIGMAS.get(character);
    spellings = spellings.flatMap((begun) =>
      final === undefined ? [begun + character] : [begun + character, begun + final],
    );
  }
  return spellings;
}

const PRIVATE_USE = 0xe000;
const PRIVATE_USE_COUNT = 6_400;

/** Encodes an inbox's number as a trigram of private-use characters, which no needle contains. */
export function markInbox(inboxNo: number): string {
  const digit = (power: number) => Math.floor(inboxNo / PRIVATE_USE_COUNT ** power) % PRIVATE_USE_COUNT;
  return String.fromCharCode(...[2, 1, 0].map((power) => PRIVATE_USE + digit(power)));
}

/** Quotes a text as a phrase of an FTS5 query (sqlite.org, fts5, 3.1). */
export function quotePhrase(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
