/** Finds words that have a number of their own: "ticket 77100292", "Ref. KXQP9", "order no. 10432". */
import { charKind, type Hit, kind } from './lexicon.ts';

/** Words for what identifies something, or for a code of another kind. */
export const NAMES_NUMBER = kind.order | kind.badcode;
/** The rest of the word, perhaps a word for "number", and the number, which has a digit or four capitals. */
const ITS_NUMBER =
  /^\p{L}{0,8}[\s.:=#№<([-]{1,4}(?:(?:no|nr|num|number|id|code)[\s.:#№]{1,3})?(?=[A-Z]{0,12}\d|[A-Z]{4})[A-Z\d][A-Z\d-]{3,}/u;
/** Characters after a word that are searched for its number. */
const WITHIN_CHARS = 40;

/** Returns the same words, with the ends of their own numbers. */
export function findOwnNumbers(text: string, hits: Hit[], charKinds: number): Hit[] {
  if ((charKinds & (charKind.digit | charKind.capital)) === 0) return hits;
  return hits.map((hit) => {
    if ((hit.kinds & NAMES_NUMBER) === 0) return hit;
    const found = ITS_NUMBER.exec(text.slice(hit.end, hit.end + WITHIN_CHARS));
    return found ? { ...hit, numberEnd: hit.end + found[0].length } : hit;
  });
}
