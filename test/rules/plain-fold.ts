/** Folds a text as searches do. It is written once more for tests, which compare searches with a plain comparison. */
export function foldPlainly(value: string): string {
  return value.toLowerCase().replaceAll('ς', 'σ').normalize('NFC').replaceAll('\0', ' ').toWellFormed();
}
