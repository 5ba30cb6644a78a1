/** How searches compare text. */

/** Lower case, composed, without NUL, which would end the text for SQLite. */
export function fold(text: string): string {
  return text.toLowerCase().normalize('NFC').replaceAll('\0', ' ').toWellFormed();
}
