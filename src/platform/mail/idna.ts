import { domainToASCII } from 'node:url';

/** No valid name is longer than this before IDNA maps it, trailing dot included. */
export const WRITTEN_NAME_CHARS_MAX = 254;

/**
 * The ASCII form of a domain (IDNA); empty when it has none. A longer text than a domain can be is not mapped: IDNA
 * sorts the accents of a run, in time that grows with its square, and 32,000 of them would hold the thread for seconds.
 */
export function mapToAscii(written: string): string {
  return written.length > WRITTEN_NAME_CHARS_MAX ? '' : domainToASCII(written);
}
