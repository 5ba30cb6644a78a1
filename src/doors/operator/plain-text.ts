/** A stranger's text on a terminal: no control characters, which could move the cursor or change its colours. */

const LINE_CHARS_MAX = 100;

/** On one line, at most 100 characters. */
export function plainLine(text: string): string {
  const line = text.replace(/\p{C}+/gu, ' ').trim();
  return line.length > LINE_CHARS_MAX ? `${line.slice(0, LINE_CHARS_MAX)}…` : line;
}

/** With its lines. */
export function plainText(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[^\P{C}\n\t]/gu, '');
}

/** The same address, as a browser would ask for it. */
export function plainLink(url: string): string {
  return url.toWellFormed().replace(/\p{C}/gu, encodeURIComponent);
}
