/*
 * Folds text for finding words: removes case and accents, one unit at a time, so that positions stay the same.
 */

/** Marks that are optional (Arabic, Hebrew, Latin). Words are found without them. */
const LEFT_OUT =
  /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u00ad\u200b-\u200f\u2060\ufeff]/;

// biome-ignore format: row by row
const LIKE: Record<string, string> = {
  ı: 'i', ø: 'o', ł: 'l', đ: 'd', ð: 'd', ß: 's', æ: 'a', œ: 'o', þ: 't', ħ: 'h', '’': "'", ʼ: "'",
  ى: 'ي', ی: 'ي', ې: 'ي', ک: 'ك', ة: 'ه', ۀ: 'ه', ە: 'ه', ς: 'σ', '\u00a0': ' ',
};

/** The folded form of each unit, filled on demand: UNKNOWN at first, NOTHING if the unit is skipped. */
const folded = new Uint16Array(0x10000);
const UNKNOWN = 0;
/** A unit that is skipped when finding words. */
export const NOTHING = 1;

/** Returns the unit by which words are found; NOTHING if it is skipped. */
export function foldCode(code: number): number {
  const known = folded[code]!;
  if (known !== UNKNOWN) return known;
  const value = foldOne(String.fromCharCode(code));
  folded[code] = value;
  return value;
}

function foldOne(unit: string): number {
  if (LEFT_OUT.test(unit)) return NOTHING;
  const lower = unit.toLowerCase();
  // Above U+2000 decomposition would tear Hangul and others apart.
  const base = unit.charCodeAt(0) < 0x2000 ? lower.normalize('NFD').charAt(0) : lower.charAt(0);
  return (LIKE[base] ?? base).charCodeAt(0) || NOTHING;
}

/** Returns a word in the form in which the tables hold it. */
export function foldWord(word: string): string {
  let out = '';
  for (let index = 0; index < word.length; index++) {
    const code = foldCode(word.charCodeAt(index));
    if (code !== NOTHING) out += String.fromCharCode(code);
  }
  return out;
}
