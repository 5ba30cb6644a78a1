/** 2 to the 32nd: the weight of a hash's upper part. */
const HIGH = 2 ** 32;
/** Bits of the upper part. With 32 below, the hash is an exact number. */
const HIGH_BITS = 20;
/** The number of possible hashes. Each is smaller than this. */
export const HASHES = HIGH * 2 ** HIGH_BITS;

/**
 * Hashes a name to 52 bits, an exact number. The list of disposable domains is a sorted list of these. With 200,000
 * names in it, one in 20 billion other names collides. After a change here, the list in the repository must be rebuilt.
 */
export function hashDomain(domain: string): number {
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
