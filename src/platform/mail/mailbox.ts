import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

/*
 * An address that somebody wants mail to go to or come from, as they wrote it: checked, and taken apart once.
 * What strangers wrote in mails is read by platform/mail/parse.ts instead.
 */

/** RFC 5321 4.5.3.1; a path's 256 octets count its brackets. */
const LOCAL_CHARS_MAX = 64;
const DOMAIN_CHARS_MAX = 253;
const ADDRESS_CHARS_MAX = 254;
/** Characters of a display name. */
const NAME_CHARS_MAX = 200;
/** Of the whole text, before it is looked at. */
const TEXT_CHARS_MAX = 1000;

export interface Mailbox {
  /** Empty when none. */
  name: string;
  /** As RCPT says it: the local part as written, the domain in lower case ASCII. */
  email: string;
  domain: string;
}

/** Why a text is no mailbox; for `fields`. */
export class NoMailbox extends Error {}

/** What ends a line somewhere, or does something else than being seen: C0, DEL, C1, line and paragraph separator. */
const CONTROL = /[\p{Cc}\u2028\u2029]/u;
/** What turns the direction of the text around it (UAX 9): `Ann <x@evil>` could be shown as another's. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/;

/** Whether a text could not stand on one line of a header. */
export function hasControl(text: string): boolean {
  return CONTROL.test(text);
}

/** `local@domain` or `Name <local@domain>`; throws NoMailbox. */
export function readMailbox(written: string): Mailbox {
  if (written.length > TEXT_CHARS_MAX) throw new NoMailbox(`has more than ${TEXT_CHARS_MAX} characters`);
  if (hasControl(written) || TURNING.test(written)) throw new NoMailbox('has control characters');
  const text = written.trim();
  if (!text.endsWith('>')) return { name: '', ...readEmail(text) };
  const opening = text.lastIndexOf('<');
  if (opening < 0) throw new NoMailbox('has > without <');
  return { name: readName(text.slice(0, opening).trim()), ...readEmail(text.slice(opening + 1, -1)) };
}

/** `Name <local@domain>` without quotes, as Message.from has it. */
export function showMailbox({ name, email }: Mailbox): string {
  return name === '' ? email : `${name} <${email}>`;
}

/** The same mailbox, however it is written: hardly any host tells capitals of a local part apart. */
export function mailboxKey(email: string): string {
  return email.toLowerCase();
}

function readName(written: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/u.exec(written)?.[1];
  const name = (quoted ?? written).replace(/\\(.)/gu, '$1').trim();
  if ([...name].length > NAME_CHARS_MAX) {
    throw new NoMailbox(`has a name of more than ${NAME_CHARS_MAX} characters`);
  }
  // Several addresses in one text would lose all but the last.
  if (quoted === undefined && /["<>,;:@\\]/.test(written)) {
    throw new NoMailbox('must be one address; a name with special characters stands in quotes');
  }
  // Many read it even where RFC 2047 5 says that it is none; then it could say anything.
  if (name.includes('=?')) throw new NoMailbox('has an encoded name; write it as it is');
  if (/[<>]/.test(name)) throw new NoMailbox('has < or > in the name');
  return name;
}

function readEmail(text: string): Pick<Mailbox, 'email' | 'domain'> {
  const at = text.lastIndexOf('@');
  if (at < 1 || at === text.length - 1) throw new NoMailbox('must be an address like name@example.com');
  const local = text.slice(0, at);
  // RFC 5321 4.1.2: a Dot-string. A quoted one is as good as never meant.
  if (!/^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/.test(local)) {
    throw new NoMailbox('has a local part that is not of letters, digits and dots in ASCII');
  }
  if (local.length > LOCAL_CHARS_MAX) {
    throw new NoMailbox(`has a local part of more than ${LOCAL_CHARS_MAX} characters`);
  }
  const domain = readDomain(text.slice(at + 1));
  const email = `${local}@${domain}`;
  if (email.length > ADDRESS_CHARS_MAX) throw new NoMailbox(`has more than ${ADDRESS_CHARS_MAX} characters`);
  return { email, domain };
}

function readDomain(written: string): string {
  // Only letters, digits and what joins them: domainToASCII reads % and # as a URL does.
  const domain = /^[\p{L}\p{M}\p{N}.\u3002\u30fb\u00b7-]+$/u.test(written)
    ? domainToASCII(written).toLowerCase()
    : '';
  const labels = domain.split('.');
  const isName =
    domain.length <= DOMAIN_CHARS_MAX &&
    labels.length >= 2 &&
    labels.every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? '') &&
    isIP(domain) === 0;
  if (!isName) throw new NoMailbox('has no domain that mail could go to');
  return domain;
}
