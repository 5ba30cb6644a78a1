/** Words that come with a number of their own: "ticket 77100292", "Ref. KXQP9", "order no. 10432". */
import { type Hit, kind, seen } from './lexicon.ts';

/** What identifies something, or is a code of another kind. */
export const NAMES_NUMBER = kind.order | kind.badcode;
/** The rest of the word, perhaps a word for "number", and the number: with a digit, or of four capitals. */
const ITS_NUMBER =
  /^\p{L}{0,8}[\s.:=#№<([-]{1,4}(?:(?:no|nr|num|number|id|code)[\s.:#№]{1,3})?(?=[A-Z]{0,12}\d|[A-Z]{4})[A-Z\d][A-Z\d-]{3,}/u;
/** Characters after a word in which its own number begins. */
const WITHIN_CHARS = 40;

/** The same words, with the ends of their own numbers. */
export function findOwnNumbers(text: string, hits: Hit[], sees: number): Hit[] {
  if ((sees & (seen.digit | seen.capital)) === 0) return hits;
  return hits.map((hit) => {
    if ((hit.kinds & NAMES_NUMBER) === 0) return hit;
    const found = ITS_NUMBER.exec(text.slice(hit.end, hit.end + WITHIN_CHARS));
    return found ? { ...hit, numberEnd: hit.end + found[0].length } : hit;
  });
}
