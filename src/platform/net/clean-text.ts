/** Removes control characters from a stranger's text, and cuts it to this many characters. */
export function cleanText(text: string, charsMax: number): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, charsMax);
}
