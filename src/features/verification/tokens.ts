/*
 * The addresses of a batch (docs/api-v1.md, Batch, rule 1). Pasted text and files are split. Whitespace and quotes
 * around each token are removed, and only the first of equal tokens is kept.
 */

/** The longest token, in UTF-16 units. A longer one is cut, and is then no valid address. */
export const TOKEN_CHARS_MAX = 320;

/** Whitespace (including a byte order mark), commas and semicolons. */
const SEPARATORS = /[\s,;]+/;
/** How many levels of quotes are removed: some programs quote what is quoted already. */
const LEVELS_MAX = 3;
const PAIRS = ['""', "''", '``', '“”', '‘’', '«»', '„“'];

/** Returns the unique tokens of a text, in order. */
export function splitTokens(text: string): string[] {
  return dedupeTokens(text.split(SEPARATORS));
}

/** Returns the unique tokens of a list, in order. Its entries are not split. */
export function dedupeTokens(entries: readonly string[]): string[] {
  const tokens = new Set<string>();
  for (const entry of entries) {
    const token = truncateToken(stripQuotes(entry.trim()));
    if (token !== '') tokens.add(token);
  }
  return [...tokens];
}

/** Removes the quotes around a token, and a quote whose other half is missing (a quoted field with a comma). */
function stripQuotes(token: string): string {
  let bare = stripLoneQuote(token);
  for (let level = 0; level < LEVELS_MAX && isInQuotes(bare); level++) bare = bare.slice(1, -1).trim();
  return stripLoneQuote(bare);
}

function isInQuotes(text: string): boolean {
  return text.length > 1 && PAIRS.includes(text.charAt(0) + text.charAt(text.length - 1));
}

/** Removes a single quote mark at an end: one inside an address may be valid. */
function stripLoneQuote(token: string): string {
  const at = token.indexOf('"');
  if (at < 0 || token.indexOf('"', at + 1) >= 0) return token;
  if (at === 0) return token.slice(1).trim();
  return at === token.length - 1 ? token.slice(0, -1).trim() : token;
}

function truncateToken(token: string): string {
  const cut = token.slice(0, TOKEN_CHARS_MAX);
  // Do not split a surrogate pair.
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}
