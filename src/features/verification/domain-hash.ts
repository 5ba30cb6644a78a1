/** Two to the 32nd: the upper part of a hash counts so much. */
const HIGH = 2 ** 32;
/** Bits of the upper part: with 32 below, the whole is an exact number. */
const HIGH_BITS = 20;
/** How many there are: each is below. */
export const HASHES = HIGH * 2 ** HIGH_BITS;

/**
 * 52 bits of a name, as an exact number: the list of disposable domains is kept as these, sorted. Of 200,000 names one
 * name in 20 thousand million is taken for another. The list in the repository was made by it: a change makes it anew.
 */
export function domainHash(domain: string): number {
  let one = 0xdead_beef;
  let other = 0x41c6_ce57;
  for (let index = 0; index < domain.length; index++) {
    const code = domain.charCodeAt(index);
    one = Math.imul(one ^ code, 0x9e37_79b1);
    other = Math.imul(other ^ code, 0x5f35_6495);
  }
  one = Math.imul(one ^ (one >>> 16), 0x85eb_ca6b) ^ Math.imul(other ^ (other >>> 13), 0xc2b2_ae35);
  other = Math.imul(other ^ (other >>> 16), 0x85eb_ca6b) ^ Math.imul(one ^ (one >>> 13), 0xc2b2_ae35);
  return (other >>> (32 - HIGH_BITS)) * HIGH + (one >>> 0);
}
