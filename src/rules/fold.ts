/** How searches compare text. */

/** More marks in a row than any script has. The time to compose them grows with the square of their number. */
const MARKS_TOO_MANY = /(\p{M}{30})\p{M}+/gu;

/** Lower case, composed, with one form of sigma, without NUL, which would end the text for SQLite. */
export function fold(text: string): string {
  // A Σ at the end of a word becomes ς: a text that ends in one would not be found within a word.
  const bounded = text.toLowerCase().replaceAll('ς', 'σ').replace(MARKS_TOO_MANY, '$1');
  return bounded.normalize('NFC').replaceAll('\0', ' ').toWellFormed();
}
