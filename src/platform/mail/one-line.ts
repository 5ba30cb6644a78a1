/** Makes a stranger's text one line, so that it can't begin another header or line of ours. */
export function toOneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .toWellFormed()
    .trim();
}
