/**
 * Mailbox syntax: RFC 5321 4.1.2, with the letters of RFC 6531 3.3 and the sizes of RFC 5321 4.5.3.1. Refuses what is
 * allowed only in headers (comments, folding, the obsolete forms of RFC 5322).
 */
import { isIPv4, isIPv6 } from 'node:net';
import { domainToUnicode } from 'node:url';
import { isHostName } from './host-name.ts';
import { mapToAscii, WRITTEN_NAME_CHARS_MAX } from './idna.ts';

/** A mailbox that an envelope can hold. */
export interface EnvelopeMailbox {
  /** As written, including quotes. */
  local: string;
  /** Lower-case ASCII (IDNA); an address literal keeps its brackets. */
  domain: string;
  isLiteral: boolean;
  /** The local part is not ASCII: only a server with SMTPUTF8 accepts it (RFC 6531 3.2). */
  isInternational: boolean;
}

const LOCAL_OCTETS_MAX = 64;
/** A path has at most 256 octets including its angle brackets (RFC 5321 4.5.3.1.3; RFC 3696, erratum 1690). */
const MAILBOX_OCTETS_MAX = 254;

const ASCII = /^\p{ASCII}*$/u;
/** Non-ASCII characters allowed in a mailbox: no controls or spaces, but the joiners that letters need. */
const BEYOND = String.raw`(?:(?![\p{C}\p{Z}])\P{ASCII}|[\u200c\u200d])`;
const ATOM = String.raw`(?:[\w!#$%&'*+\-/=?^\x60{|}~]|${BEYOND})+`;
const DOT_STRING = new RegExp(String.raw`^${ATOM}(?:\.${ATOM})*$`, 'u');
const QUOTED_STRING = new RegExp(String.raw`^"(?:[ !#-\[\]-~]|\\[ -~]|${BEYOND})*"$`, 'u');

/**
 * Parses a mailbox; null if the text is not one. Splits at the last @, because a quoted local part may contain
 * others.
 */
export function parseMailbox(text: string): EnvelopeMailbox | null {
  const at = text.lastIndexOf('@');
  if (at < 1 || countOctets(text) > MAILBOX_OCTETS_MAX) return null;
  const local = text.slice(0, at);
  const written = text.slice(at + 1);
  if (countOctets(local) > LOCAL_OCTETS_MAX || !isLocalPart(local)) return null;
  const isLiteral = written.startsWith('[');
  const domain = isLiteral ? readLiteral(written) : readHostName(written);
  return domain === null ? null : { local, domain, isLiteral, isInternational: !ASCII.test(local) };
}

/** Returns the domain after the last @, even if the local part is invalid; null if the domain is invalid. */
export function readDomainPart(text: string): string | null {
  const at = text.lastIndexOf('@');
  if (at < 0) return null;
  const written = text.slice(at + 1);
  return written.startsWith('[') ? readLiteral(written) : readHostName(written);
}

function isLocalPart(local: string): boolean {
  return local.startsWith('"') ? isQuotedString(local) : DOT_STRING.test(local);
}

/** Whether a local part is in quotes, in which it may contain almost anything except controls. */
export function isQuotedString(local: string): boolean {
  return QUOTED_STRING.test(local);
}

/** Removes the quotes of a local part if it doesn't need them: they are not part of the name (RFC 5321 4.1.2). */
export function unquote(local: string): string {
  if (!isQuotedString(local)) return local;
  const name = local.slice(1, -1).replace(/\\(.)/g, '$1');
  return DOT_STRING.test(name) ? name : local;
}

/** Returns a host name in lower-case ASCII; null if it is not one. */
function readHostName(written: string): string | null {
  const domain = ASCII.test(written) ? written.toLowerCase() : toAscii(written);
  return isHostName(domain) && domain.split('.').every(isTrueLabel) ? domain : null;
}

/**
 * Returns the ASCII form of an internationalised name; empty if it has none. A name that IDNA first has to map to
 * another (wide letters, a soft hyphen) is that name in disguise, not a U-label (RFC 5890 2.3.2.1).
 */
function toAscii(written: string): string {
  if (written.length > WRITTEN_NAME_CHARS_MAX) return '';
  const plain = written.normalize('NFC').toLowerCase();
  // Other ASCII characters would be parsed as in a URL: percent signs, ports, slashes.
  if (/(?![a-z0-9.-])\p{ASCII}|(^|\.)-|-(\.|$)/u.test(plain)) return '';
  const ascii = mapToAscii(plain);
  return domainToUnicode(ascii) === plain ? ascii : '';
}

/** Whether a label with the prefix of an encoded label is one (RFC 5890 2.3.2.1). */
function isTrueLabel(label: string): boolean {
  return !label.startsWith('xn--') || mapToAscii(label) === label;
}

/** Reads `[192.0.2.1]` or `[IPv6:2001:db8::1]` (RFC 5321 4.1.3). No other tag is registered. */
function readLiteral(written: string): string | null {
  const inner = /^\[(.*)\]$/s.exec(written)?.[1];
  if (inner === undefined) return null;
  const v6 = /^ipv6:(.*)$/is.exec(inner)?.[1];
  if (v6 === undefined) return isIPv4(inner) ? written : null;
  return isIPv6(v6) && !v6.includes('%') ? `[IPv6:${v6.toLowerCase()}]` : null;
}

function countOctets(text: string): number {
  return ASCII.test(text) ? text.length : new TextEncoder().encode(text).length;
}
