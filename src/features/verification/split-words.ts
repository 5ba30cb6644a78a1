/** Returns the words of a text, such as a table of this folder that people maintain by hand. */
export function splitWords(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
