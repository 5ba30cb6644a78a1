/** Control characters, line separators, and those that change the text direction (UAX 9), which can make a text read as another. */
const CONTROLS = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

/** Removes control characters from a stranger's text, and cuts it to this many characters. */
export function cleanText(text: string, charsMax: number): string {
  return text.replace(CONTROLS, ' ').trim().slice(0, charsMax).toWellFormed();
}
