/** Makes a stranger's text safe for a terminal: control characters could move the cursor or change its colours. */

const LINE_CHARS_MAX = 100;

/** Returns the text on one line of at most 100 characters. */
export function plainLine(text: string): string {
  const line = text.replace(/\p{C}+/gu, ' ').trim();
  return line.length > LINE_CHARS_MAX ? `${line.slice(0, LINE_CHARS_MAX)}…` : line;
}

/** Returns the text with its line breaks. */
export function plainText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[^\P{C}\n\t]/gu, '');
}

/** Returns the same URL with control characters percent-encoded, as a browser requests it. */
export function plainLink(url: string): string {
  return url.toWellFormed().replace(/\p{C}/gu, encodeURIComponent);
}
