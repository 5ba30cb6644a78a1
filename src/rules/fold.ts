/** How searches compare text. */

/** More marks in a row than any script has. The time to compose them grows with the square of their number. */
const MARKS_TOO_MANY = /(\p{M}{30})\p{M}+/gu;

/** Lower case, composed, without NUL, which would end the text for SQLite. */
export function fold(text: string): string {
  const bounded = text.toLowerCase().replace(MARKS_TOO_MANY, '$1');
  return bounded.normalize('NFC').replaceAll('\0', ' ').toWellFormed();
}
