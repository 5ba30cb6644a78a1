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

/**
 * The address in the form in which inboxes are stored, with its +tag: lower-case, the domain in ASCII, without needless
 * quotes. A domain without an ASCII form is left as it is.
 */
export function toInboxForm(text: string): string {
  const address = text.toLowerCase();
  const at = address.lastIndexOf('@');
  if (at < 0) return address;
  const domain = address.slice(at + 1);
  return `${unquoted(address.slice(0, at))}@${PLAIN_DOMAIN.test(domain) ? domain : mapToAscii(domain) || domain}`;
}

/**
 * The address under which an inbox is stored: lower-case, without `+tag` (docs/decisions.md, Inboxes and addresses)
 * and without needless quotes. A local part that begins with + or needs its quotes has no tag.
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
  if (!parsed || findTag(unquoted(parsed.local)) < 0) return null;
  return { local: parsed.local, inbox: inboxAddress(parsed) };
}

export function inboxLocalPart(local: string): string {
  const name = unquoted(local);
  const plus = findTag(name);
  return (plus < 0 ? name : name.slice(0, plus)).toLowerCase();
}

/** Where the tag of an unquoted local part begins; -1 when it has none. What needs its quotes can't be cut. */
function findTag(name: string): number {
  return name.startsWith('"') ? -1 : name.indexOf('+', 1);
}
