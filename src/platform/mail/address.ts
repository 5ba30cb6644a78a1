import { unquote } from './address-syntax.ts';
import { mapToAscii } from './idna.ts';

/*
 * The address of an envelope, and of the inbox that it reaches. Other readers of addresses are stricter or read more:
 *
 * - address-syntax.ts: a mailbox exactly as RFC 5321 allows it, to verify an address or list a sender;
 * - mailbox.ts: a name and an address that an email of ours is from or to, with the reason for refusing it;
 * - addresses.ts: all addresses of a header such as To.
 */

/** An address split at its last @. The domain is in lower-case ASCII (IDNA), the local part as written. */
export interface MailAddress {
  local: string;
  domain: string;
}

/** Domains that IDNA leaves unchanged. */
const PLAIN_DOMAIN = /^[a-z0-9.-]+$/;

/** Splits an address; null if it has no local part or its domain has no ASCII form. */
export function parseAddress(text: string): MailAddress | null {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(0, at));
  const written = text.slice(at + 1).toLowerCase();
  const domain = PLAIN_DOMAIN.test(written) || written.startsWith('[') ? written : mapToAscii(written);
  return local !== '' && domain !== '' ? { local, domain } : null;
}

/**
 * Writes an address as inboxes' addresses are stored, but keeps its +tag: lower-case, the domain in ASCII, without
 * needless quotes. A domain without an ASCII form is left unchanged.
 */
export function toInboxForm(text: string): string {
  const address = text.toLowerCase();
  const at = address.lastIndexOf('@');
  if (at < 0) return address;
  const domain = address.slice(at + 1);
  return `${unquote(address.slice(0, at))}@${PLAIN_DOMAIN.test(domain) ? domain : mapToAscii(domain) || domain}`;
}

/**
 * Returns the address of the inbox that an address reaches: lower-case, without `+tag` (docs/decisions.md, Inboxes and
 * addresses) and without needless quotes. A local part that begins with + or needs its quotes has no tag.
 */
export function toInboxAddress({ local, domain }: MailAddress): string {
  return `${toInboxLocalPart(local)}@${domain}`;
}

/** An address with a `+tag`, and the inbox that it reaches. */
export interface SubAddress {
  /** As written, with the tag. */
  local: string;
  inbox: string;
}

/** Returns null for an address without a tag. */
export function readSubAddress(text: string): SubAddress | null {
  const parsed = parseAddress(text);
  if (!parsed || findTag(unquote(parsed.local)) < 0) return null;
  return { local: parsed.local, inbox: toInboxAddress(parsed) };
}

export function toInboxLocalPart(local: string): string {
  const name = unquote(local);
  const plus = findTag(name);
  return (plus < 0 ? name : name.slice(0, plus)).toLowerCase();
}

/** Returns where the tag of a local part begins; -1 without one. A local part that needs its quotes can't be cut. */
function findTag(name: string): number {
  return name.startsWith('"') ? -1 : name.indexOf('+', 1);
}
