import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { getDomain, getPublicSuffix } from 'tldts';

/** A name as the DNS has it, or why it is none. */
export type DomainNameReading = { name: string } | { fault: string };

/** RFC 1035 2.3.4, without the dot of the root. */
const NAME_CHARS_MAX = 253;
/** Longer than any name of 253 characters of ASCII can be before IDNA: what is longer is not worth mapping. */
const WRITTEN_CHARS_MAX = 254;
/** Letters, digits and hyphens, none of these at an end (RFC 1123 2.1); the last label no number (RFC 1123 2.1). */
const HOSTNAME = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+(?![0-9]+$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
/** With suffixes under which companies give names to strangers (github.io): whose site it is does not own those. */
const suffixes = { allowPrivateDomains: true } as const;

/**
 * The name of a domain that somebody could own: lower case, ASCII (IDNA), one trailing dot dropped. An address of IP,
 * a single label and a public suffix are none.
 */
export function readDomainName(written: string): DomainNameReading {
  const malformed = { fault: 'must be a bare hostname, as example.com' };
  if (written.length > WRITTEN_CHARS_MAX) return { fault: `has more than ${NAME_CHARS_MAX} characters` };
  // Of ASCII only what a hostname has: IDNA here would take the host out of much that looks like a URL.
  if (/[\0-,/:-@[-`{-\x7f]/.test(written)) return malformed;
  const bare = written.toLowerCase().replace(/\.$/, '');
  // Asked for ASCII too, as it may hold what only looks like IDNA.
  const name = domainToASCII(bare).toLowerCase();
  if (isIP(bare) !== 0 || isIP(name) !== 0) return { fault: 'must be a name, not an IP address' };
  if (name.length > NAME_CHARS_MAX) return { fault: `has more than ${NAME_CHARS_MAX} characters` };
  if (name !== '' && !name.includes('.')) return { fault: 'must have a dot: a single label is no domain' };
  if (!HOSTNAME.test(name)) return malformed;
  if (getPublicSuffix(name, suffixes) === name)
    return { fault: 'is a public suffix, under which others have names' };
  return { name };
}

/** RFC 2606, 6761, 6762, 8375 and what networks at home use: nobody outside can look such a name up. */
export function isPrivateName(name: string): boolean {
  return /(^|\.)(test|example|invalid|localhost|local|internal|lan|home|intranet|home\.arpa)$/.test(name);
}

/** The domain that somebody registered, of which a name is a part; the name itself when there is none. */
export function registeredDomain(name: string): string {
  return getDomain(name, suffixes) ?? name;
}
