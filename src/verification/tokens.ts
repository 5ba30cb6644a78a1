/*
 * What a batch is asked about (contract, Batch rule 1). A pasted text and a file are split; of every token the white
 * space and quotes around it go, and of equal ones the first stays.
 */

/** Characters (UTF-16) of a token; what is longer is cut, and is no address then. */
export const TOKEN_CHARS_MAX = 320;

/** White space (a byte order mark too), commas and semicolons. */
const SEPARATORS = /[\s,;]+/;
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
  const bare = token.replace(/^"(?=[^"]*$)|(?<=^[^"]*)"$/g, '');
  const is_pair = bare.length > 1 && PAIRS.includes(bare.charAt(0) + bare.charAt(bare.length - 1));
  return is_pair ? unquoted(bare.slice(1, -1).trim()) : bare.trim();
}

function capped(token: string): string {
  const cut = token.slice(0, TOKEN_CHARS_MAX);
  // Never half of a character.
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}
