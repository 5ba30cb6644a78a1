import { unquoted } from './address-syntax.ts';
import { mapToAscii } from './idna.ts';

/** An address split at its last @; the domain in lower-case ASCII (IDNA), the local part as written. */
export interface MailAddress {
  local: string;
  domain: string;
}

/** Names that IDNA leaves unchanged. */
const PLAIN_DOMAIN = /^[a-z0-9.-]+$/;

/** Null when the text has no local part or no possible domain. */
export function parseAddress(text: string): MailAddress | null {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(0, at));
  const written = text.slice(at + 1).toLowerCase();
  const domain = PLAIN_DOMAIN.test(written) || written.startsWith('[') ? written : mapToAscii(written);
  return local !== '' && domain !== '' ? { local, domain } : null;
}

/** The address with its domain in ASCII and the rest as written; unchanged when the domain has no ASCII form. */
export function withAsciiDomain(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  const domain = address.slice(at);
  return PLAIN_DOMAIN.test(domain.toLowerCase())
    ? address
    : address.slice(0, at) + (mapToAscii(domain) || domain);
}

/**
 * The address under which an inbox is stored: lower-case, without `+tag` (docs/decisions.md, Inboxes and addresses)
 * and without needless quotes. A local part that begins with + is left unchanged.
 */
export function inboxAddress({ local, domain }: MailAddress): string {
  return `${inboxLocalPart(local)}@${domain}`;
}

/** An address with a `+tag`, and the inbox that it reaches. */
export interface SubAddress {
  /** As written, with the tag. */
  local: string;
  inbox: string;
}

/** Null for an address that has no tag. */
export function readSubAddress(text: string): SubAddress | null {
  const parsed = parseAddress(text);
  if (!parsed || parsed.local.indexOf('+') < 1) return null;
  return { local: parsed.local, inbox: inboxAddress(parsed) };
}

export function inboxLocalPart(local: string): string {
  const name = unquoted(local);
  const plus = name.indexOf('+');
  return (plus > 0 ? name.slice(0, plus) : name).toLowerCase();
}
