import { domainToASCII } from 'node:url';

/** Characters of a name before IDNA maps it, with its trailing dot. No valid name has more. */
export const WRITTEN_NAME_CHARS_MAX = 254;

/**
 * Returns the ASCII form of a domain (IDNA); empty if it has none. A text longer than any domain is not mapped: IDNA
 * sorts each run of accents, in time that grows with the square of its length, and 32,000 of them would block the
 * thread for seconds.
 */
export function mapToAscii(written: string): string {
  return written.length > WRITTEN_NAME_CHARS_MAX ? '' : domainToASCII(written);
}
