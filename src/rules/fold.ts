/** Folds text for searches, which compare only folded text. */

/** More combining marks in a row than any script has. The time to compose them grows with the square of their number. */
const MARKS_TOO_MANY = /(\p{M}{30})\p{M}+/gu;

/** Returns the text in lower case, composed, with one form of sigma, and without NUL, which would end it for SQLite. */
export function fold(text: string): string {
  // Lower-casing makes ς of a Σ at the end of a word, so a search that ends in one would miss it within a word.
  const bounded = text.toLowerCase().replaceAll('ς', 'σ').replace(MARKS_TOO_MANY, '$1');
  return bounded.normalize('NFC').replaceAll('\0', ' ').toWellFormed();
}
