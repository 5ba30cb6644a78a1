/** The list of common passwords leaves out shorter ones, since they are not accepted anyway. */
export const PASSWORD_CHARS_MIN = 8;

/**
 * 32 bits of a password, as stored in the list of common ones. One other password in 200,000 collides and is refused
 * as common; its owner chooses another. After a change here the list must be rebuilt.
 */
export function shortenPassword(password: string): number {
  return Bun.hash.xxHash32(password);
}
