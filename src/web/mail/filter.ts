/** Texts of the search box, in the language of the API's `search`. */

/**
 * The same text with what the server does not know in quotes, so that it is searched for as text; null when its reason
 * names nothing of the text.
 */
export function quoteRefused(text: string, reason: string): string | null {
  const token = /"([^"\s]*:)"/.exec(reason)?.[1]?.toLowerCase();
  if (token === undefined) return null;
  let hasQuoted = false;
  const quoted = text.replace(WORD, (word, blank: string, minus: string, bare: string) => {
    if (hasQuoted || !bare.toLowerCase().startsWith(token)) return word;
    hasQuoted = true;
    return `${blank}${minus}"${bare.replace(/["\\]/g, '\\$&')}"`;
  });
  return hasQuoted ? quoted : null;
}

/** A word, and the phrase that follows its colon; or a phrase. */
const WORD = /(^|\s)(-?)((?:[^\s":]*:)?(?:"(?:[^"\\]|\\.)*"?|\S*))/g;

/** The search text with a word added or removed, for the filter buttons. */
export function toggled(text: string, word: string): string {
  const words = text.split(/\s+/).filter(Boolean);
  return (words.includes(word) ? words.filter((each) => each !== word) : [...words, word]).join(' ');
}
