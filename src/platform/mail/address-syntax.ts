/**
 * The syntax of a mailbox by RFC 5321 4.1.2, with the letters of RFC 6531 3.3 and the sizes of RFC 5321 4.5.3.1. What
 * only headers allow (comments, folding, the obsolete forms of RFC 5322) is no mailbox.
 */
import { isIPv4, isIPv6 } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';

/** A mailbox that can be written in an envelope. */
export interface EnvelopeMailbox {
  /** As written, with its quotes when it has them. */
  local: string;
  /** Lower-case ASCII (IDNA); an address literal keeps its brackets. */
  domain: string;
  isLiteral: boolean;
  /** The local part has other letters than ASCII: only a server that has SMTPUTF8 takes it (RFC 6531 3.2). */
  is_international: boolean;
}

const LOCAL_OCTETS_MAX = 64;
/** A path has 256 with its angle brackets (RFC 5321 4.5.3.1.3; RFC 3696, erratum 1690). */
const MAILBOX_OCTETS_MAX = 254;
/** 255 octets in the DNS are 253 characters as they are written (RFC 1035 2.3.4). */
const DOMAIN_CHARS_MAX = 253;

const ASCII = /^\p{ASCII}*$/u;
/** Letters beyond ASCII that a mailbox may have: no controls, no spaces; the joiners belong to letters. */
const BEYOND = String.raw`(?:(?![\p{C}\p{Z}])\P{ASCII}|[\u200c\u200d])`;
const ATOM = String.raw`(?:[\w!#$%&'*+\-/=?^\x60{|}~]|${BEYOND})+`;
const DOT_STRING = new RegExp(String.raw`^${ATOM}(?:\.${ATOM})*$`, 'u');
const QUOTED_STRING = new RegExp(String.raw`^"(?:[ !#-\[\]-~]|\\[ -~]|${BEYOND})*"$`, 'u');
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Null when the text is no mailbox. The at sign is the last one: a quoted local part may have others. */
export function parseMailbox(text: string): EnvelopeMailbox | null {
  const at = text.lastIndexOf('@');
  if (at < 1 || octets(text) > MAILBOX_OCTETS_MAX) return null;
  const local = text.slice(0, at);
  const written = text.slice(at + 1);
  if (octets(local) > LOCAL_OCTETS_MAX || !isLocalPart(local)) return null;
  const isLiteral = written.startsWith('[');
  const domain = isLiteral ? literal(written) : domainName(written);
  return domain === null ? null : { local, domain, isLiteral, is_international: !ASCII.test(local) };
}

/** The domain behind the last at sign, also where the local part is none; null when it is no domain either. */
export function domainIn(text: string): string | null {
  const at = text.lastIndexOf('@');
  if (at < 0) return null;
  const written = text.slice(at + 1);
  return written.startsWith('[') ? literal(written) : domainName(written);
}

function isLocalPart(local: string): boolean {
  return local.startsWith('"') ? isQuotedString(local) : DOT_STRING.test(local);
}

/** A local part in quotes, which may hold nearly anything but controls. */
export function isQuotedString(local: string): boolean {
  return QUOTED_STRING.test(local);
}

/** The local part without quotes that it does not need: they are no part of the name (RFC 5321 4.1.2). */
export function unquoted(local: string): string {
  if (!isQuotedString(local)) return local;
  const name = local.slice(1, -1).replace(/\\(.)/g, '$1');
  return DOT_STRING.test(name) ? name : local;
}

/** A host name in lower-case ASCII, or null. */
function domainName(written: string): string | null {
  const domain = ASCII.test(written) ? written.toLowerCase() : asciiOf(written);
  if (domain === '' || domain.length > DOMAIN_CHARS_MAX) return null;
  const labels = domain.split('.');
  if (!labels.every((label) => LABEL.test(label) && isTrueLabel(label))) return null;
  // Else it could be taken for an IPv4 address (RFC 1123 2.1, RFC 3696 2).
  return /^\d+$/.test(labels.at(-1) ?? '') ? null : domain;
}

/**
 * Of a name with other letters, the ASCII form; empty when it has none. What IDNA would only map to a name (wide
 * letters, a soft hyphen) is another name in disguise and no U-label (RFC 5890 2.3.2.1).
 */
function asciiOf(written: string): string {
  const plain = written.normalize('NFC').toLowerCase();
  // The rest of ASCII would be read as a URL's: percent signs, ports, slashes.
  if (/(?![a-z0-9.-])\p{ASCII}|(^|\.)-|-(\.|$)/u.test(plain)) return '';
  const ascii = domainToASCII(plain);
  return domainToUnicode(ascii) === plain ? ascii : '';
}

/** A label that says that it is an encoded one must be one (RFC 5890 2.3.2.1). */
function isTrueLabel(label: string): boolean {
  return !label.startsWith('xn--') || domainToASCII(label) === label;
}

/** `[192.0.2.1]`, `[IPv6:2001:db8::1]` (RFC 5321 4.1.3); no other tag is registered. */
function literal(written: string): string | null {
  const inner = /^\[(.*)\]$/s.exec(written)?.[1];
  if (inner === undefined) return null;
  const v6 = /^ipv6:(.*)$/is.exec(inner)?.[1];
  if (v6 === undefined) return isIPv4(inner) ? written : null;
  return isIPv6(v6) && !v6.includes('%') ? `[IPv6:${v6.toLowerCase()}]` : null;
}

function octets(text: string): number {
  return ASCII.test(text) ? text.length : new TextEncoder().encode(text).length;
}
