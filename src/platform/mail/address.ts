import { domainToASCII } from 'node:url';
import { unquoted } from './address-syntax.ts';

/** An address taken apart at its last @; the domain is lower case ASCII (IDNA), the local part as written. */
export interface MailAddress {
  local: string;
  domain: string;
}

/** Nothing that IDNA would change. */
const PLAIN_DOMAIN = /^[a-z0-9.-]+$/;

/** Null when the text has no local part or no domain that could exist. */
export function parseAddress(text: string): MailAddress | null {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(0, at));
  const written = text.slice(at + 1).toLowerCase();
  const domain = PLAIN_DOMAIN.test(written) || written.startsWith('[') ? written : domainToASCII(written);
  return local !== '' && domain !== '' ? { local, domain } : null;
}

/** The address with its domain in ASCII, the rest as written; as it is when the domain has no such form. */
export function withAsciiDomain(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  const domain = address.slice(at);
  return PLAIN_DOMAIN.test(domain.toLowerCase())
    ? address
    : address.slice(0, at) + (domainToASCII(domain) || domain);
}

/**
 * The address under which an inbox is kept: lower case, without `+tag` (decisions.md, Inboxes and addresses) and
 * without quotes that it does not need.
 * A local part that begins with + has no name before it and stands as it is.
 */
export function inboxAddress({ local, domain }: MailAddress): string {
  return `${inboxLocalPart(local)}@${domain}`;
}

export function inboxLocalPart(local: string): string {
  const name = unquoted(local);
  const plus = name.indexOf('+');
  return (plus > 0 ? name.slice(0, plus) : name).toLowerCase();
}
