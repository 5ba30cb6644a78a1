/** The list of common passwords has no shorter ones, since they are not accepted anyway. */
export const PASSWORD_CHARS_MIN = 8;

/**
 * Returns 32 bits of a password, the form in which the list of common passwords stores it. One other password in
 * 200,000 collides with the list and is refused as common. After a change here the list must be rebuilt.
 */
export function fingerprintPassword(password: string): number {
  return Bun.hash.xxHash32(password);
}
