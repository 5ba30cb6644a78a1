import { isIP } from 'node:net';
import { getDomain, getPublicSuffix } from 'tldts';
import { HOST_NAME_CHARS_MAX, isHostName } from './host-name.ts';
import { mapToAscii, WRITTEN_NAME_CHARS_MAX } from './idna.ts';

/** A domain in its DNS form, or why it is invalid. */
export type DomainNameReading = { name: string } | { fault: string };

/** Includes suffixes under which companies give names to their users (github.io): no user owns those. */
const suffixes = { allowPrivateDomains: true } as const;

/**
 * Reads the name of a domain that can be owned: lower-case, ASCII (IDNA), without the trailing dot. Refuses IP
 * addresses, single labels and public suffixes.
 */
export function readDomainName(written: string): DomainNameReading {
  const malformed = { fault: 'must be a bare hostname, such as example.com' };
  if (written.length > WRITTEN_NAME_CHARS_MAX)
    return { fault: `has more than ${HOST_NAME_CHARS_MAX} characters` };
  // Only a hostname's ASCII characters are allowed: IDNA would extract a host from much that looks like a URL.
  if (/[\0-,/:-@[-`{-\x7f]/.test(written)) return malformed;
  const bare = written.toLowerCase().replace(/\.$/, '');
  // Runs for ASCII names too, which may contain invalid IDNA labels.
  const name = mapToAscii(bare).toLowerCase();
  if (isIP(bare) !== 0 || isIP(name) !== 0) return { fault: 'must be a name, not an IP address' };
  if (name.length > HOST_NAME_CHARS_MAX) return { fault: `has more than ${HOST_NAME_CHARS_MAX} characters` };
  if (name !== '' && !name.includes('.')) return { fault: 'must have a dot: a single label is not a domain' };
  if (!isHostName(name)) return malformed;
  if (getPublicSuffix(name, suffixes) === name)
    return { fault: 'is a public suffix, under which others register names' };
  return { name };
}

/** Whether nobody outside a network can look up a name (RFC 2606, 6761, 6762, 8375, and names common in homes). */
export function isPrivateName(name: string): boolean {
  return /(^|\.)(test|example|invalid|localhost|local|internal|lan|home|intranet|home\.arpa)$/.test(name);
}

/** Returns the registered domain that a name belongs to; the name itself if there is none. */
export function findRegisteredDomain(name: string): string {
  return getDomain(name, suffixes) ?? name;
}
