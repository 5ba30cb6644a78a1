/** A shorter password is not accepted, so the list of common ones has none. */
export const PASSWORD_CHARS_MIN = 8;

/**
 * 32 bits of a password, as the list of common ones is kept: of other passwords one in 200,000 is taken for a common
 * one, and its owner chooses another. A change makes the list anew.
 */
export function passwordHash(password: string): number {
  return Bun.hash.xxHash32(password);
}
