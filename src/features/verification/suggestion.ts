import { freeProviders, oftenMistyped, relayServices } from './known-domains.ts';

/** A long name is recognizable with two slips. In a short one, two slips make another name. */
const LONG_CHARS = 11;
/** The most slips that a suggestion may correct. */
const SLIPS_MAX = 2;

const known: ReadonlySet<string> = new Set([...freeProviders, ...relayServices]);

/** Common typos that are not top-level domains. */
// biome-ignore format: row by row
const mistypedEndings: Readonly<Record<string, string>> = {
  con: 'com', cmo: 'com', ocm: 'com', vom: 'com', xom: 'com', cim: 'com', clm: 'com', cpm: 'com',
  comm: 'com', coom: 'com', ccom: 'com', come: 'com', nte: 'net', ent: 'net', nett: 'net', ner: 'net',
};

/** Returns the letters of a text as bits. Texts that differ in many letters need no comparison. */
const packLetters = (text: string) => {
  let letters = 0;
  for (let index = 0; index < text.length; index++) letters |= 1 << (text.charCodeAt(index) & 31);
  return letters;
};
const meantLetters = oftenMistyped.map((domain) => ({ domain, letters: packLetters(domain) }));

/** Returns the provider that was probably meant by a domain (`gmail.com` for `gmial.com`); null if there is none. */
export function suggestDomain(domain: string): string | null {
  if (known.has(domain)) return null;
  const dot = domain.lastIndexOf('.') + 1;
  const corrected = domain.slice(0, dot) + (mistypedEndings[domain.slice(dot)] ?? domain.slice(dot));
  if (known.has(corrected)) return corrected;
  let best: string | null = null;
  let fewest = SLIPS_MAX + 1;
  const letters = packLetters(domain);
  for (const { domain: meant, letters: meantOnes } of meantLetters) {
    if (Math.abs(meant.length - domain.length) > SLIPS_MAX) continue;
    // A slip changes at most two letters: one disappears, one appears.
    if (countOnes(letters ^ meantOnes) > 2 * SLIPS_MAX) continue;
    const slips = countSlips(domain, meant, fewest - 1);
    if (slips < fewest && slips <= (meant.length >= LONG_CHARS ? 2 : 1)) [best, fewest] = [meant, slips];
  }
  return best;
}

function countOnes(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count += 1;
  return count;
}

/** Counts wrong, missing, extra and swapped letters (optimal string alignment). Inexact above `most`. */
function countSlips(given: string, meant: string, most: number): number {
  let before: number[] = [];
  let last = Array.from({ length: meant.length + 1 }, (_, index) => index);
  for (let row = 1; row <= given.length; row++) {
    const line = [row];
    for (let column = 1; column <= meant.length; column++) {
      const isSame = given[row - 1] === meant[column - 1];
      let slips = Math.min(last[column]! + 1, line[column - 1]! + 1, last[column - 1]! + (isSame ? 0 : 1));
      const isSwapped = given[row - 1] === meant[column - 2] && given[row - 2] === meant[column - 1];
      if (row > 1 && column > 1 && isSwapped) slips = Math.min(slips, before[column - 2]! + 1);
      line.push(slips);
    }
    if (Math.min(...line) > most) return most + 1;
    [before, last] = [last, line];
  }
  return last[meant.length]!;
}
