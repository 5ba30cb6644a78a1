/*
 * What a batch is asked about (contract, Batch rule 1). A pasted text and a file are split; of every token the white
 * space and quotes around it go, and of equal ones the first stays.
 */

/** Characters (UTF-16) of a token; what is longer is cut, and is no address then. */
export const TOKEN_CHARS_MAX = 320;

/** White space (a byte order mark too), commas and semicolons. */
const SEPARATORS = /[\s,;]+/;
/** Quotes within quotes, as programs write them that quote what is quoted. */
const LEVELS_MAX = 3;
const PAIRS = ['""', "''", '``', '“”', '‘’', '«»', '„“'];

/** Of a text: its tokens, unique, in the order in which they first stand. */
export function tokensIn(text: string): string[] {
  return uniqueTokens(text.split(SEPARATORS));
}

/** Of a list: the same for each entry, which is not split. */
export function uniqueTokens(entries: readonly string[]): string[] {
  const tokens = new Set<string>();
  for (const entry of entries) {
    const token = capped(unquoted(entry.trim()));
    if (token !== '') tokens.add(token);
  }
  return [...tokens];
}

/** Without the quotes around it, and without one that has lost its other half (a quoted field that had a comma). */
function unquoted(token: string): string {
  let bare = withoutLoneQuote(token);
  for (let level = 0; level < LEVELS_MAX && isInQuotes(bare); level++) bare = bare.slice(1, -1).trim();
  return withoutLoneQuote(bare);
}

function isInQuotes(text: string): boolean {
  return text.length > 1 && PAIRS.includes(text.charAt(0) + text.charAt(text.length - 1));
}

/** Only at an end: within an address a quote may have its place. */
function withoutLoneQuote(token: string): string {
  const at = token.indexOf('"');
  if (at < 0 || token.indexOf('"', at + 1) >= 0) return token;
  if (at === 0) return token.slice(1).trim();
  return at === token.length - 1 ? token.slice(0, -1).trim() : token;
}

function capped(token: string): string {
  const cut = token.slice(0, TOKEN_CHARS_MAX);
  // Never half of a character.
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}
