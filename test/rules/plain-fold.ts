/** How searches fold a text, written down once more for the tests that compare them with a plain comparison. */
export function foldPlainly(value: string): string {
  return value.toLowerCase().replaceAll('ς', 'σ').normalize('NFC').replaceAll('\0', ' ').toWellFormed();
}
