/** How text is compared in searches, and how it stands in the index. Pure. */

/** Lower case, composed, without NUL (which would end the text for SQLite). */
export function fold(text: string): string {
  return text.toLowerCase().normalize('NFC').replaceAll('\0', ' ').toWellFormed();
}

/** Put behind an indexed text, so that its last one and two characters begin a trigram as well. */
const PAD = '\u0001\u0001';

/** A subject as it stands in the index; a sender goes through `asSender` besides. */
export function indexText(text: string): string {
  return fold(text) + PAD;
}

const SENDER_PLANE = 0xf0000;

/**
 * The same text in characters of its own (a private-use plane): a sender's trigrams are then others than a
 * subject's, and a word that stands in a million senders costs nothing where it is sought in subjects.
 * Characters beyond the first plane stay; the columns keep those apart.
 */
export function asSender(folded: string): string {
  const characters: number[] = [];
  for (const character of folded) {
    const code = character.codePointAt(0)!;
    characters.push(code < 0x10000 ? SENDER_PLANE + code : code);
  }
  return String.fromCodePoint(...characters);
}

/** Every three characters (code points) in a row, as SQLite's trigram tokenizer takes them. */
export function trigrams(text: string): string[] {
  const characters = Array.from(text);
  return characters.slice(2).map((last, at) => `${characters[at]}${characters[at + 1]}${last}`);
}

const PRIVATE_USE = 0xe000;
const PRIVATE_USE_COUNT = 6_400;

/** An inbox's number as one trigram of private-use characters, which stand in no needle's way. */
export function inboxMark(inboxNo: number): string {
  const digit = (power: number) => Math.floor(inboxNo / PRIVATE_USE_COUNT ** power) % PRIVATE_USE_COUNT;
  return String.fromCharCode(...[2, 1, 0].map((power) => PRIVATE_USE + digit(power)));
}

/** A text as a phrase of an FTS5 question (sqlite.org, fts5, 3.1). */
export function phrase(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
