import { isHostName } from './host-name.ts';
import { mapToAscii } from './idna.ts';

/*
 * Parses and checks an address that a caller wants to send mail to or from. Addresses in received mail are read by
 * platform/mail/parse.ts instead.
 */

/** RFC 5321 4.5.3.1; a path's 256 octets include its brackets. */
const LOCAL_CHARS_MAX = 64;
const ADDRESS_CHARS_MAX = 254;
/** Characters of a display name. */
const NAME_CHARS_MAX = 200;
/** Characters of a name and an address together, checked before parsing. */
const TEXT_CHARS_MAX = 1000;

export interface Mailbox {
  /** Empty if there is none. */
  name: string;
  /** As in RCPT: the local part as written, the domain in lower-case ASCII. */
  email: string;
  domain: string;
}

/** Thrown for a text that is not a mailbox. The message is the reason in a response's `fields`. */
export class NoMailbox extends Error {}

/** Characters that may end a line or have side effects: C0, DEL, C1, line and paragraph separators. */
const CONTROL = /[\p{Cc}\u2028\u2029]/u;
/** Characters that change the text direction (UAX 9): `Ann <x@evil>` could be displayed as somebody else's. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/;

/** Whether a text has characters that must not be in a header's value. */
export function hasControl(text: string): boolean {
  return CONTROL.test(text);
}

/** Parses `local@domain` or `Name <local@domain>`; throws NoMailbox. */
export function readMailbox(written: string): Mailbox {
  if (written.length > TEXT_CHARS_MAX) throw new NoMailbox(`has more than ${TEXT_CHARS_MAX} characters`);
  if (hasControl(written) || TURNING.test(written)) throw new NoMailbox('has control characters');
  const text = written.trim();
  if (!text.endsWith('>')) return { name: '', ...readEmail(text) };
  const opening = text.lastIndexOf('<');
  if (opening < 0) throw new NoMailbox('has > without <');
  return { name: readName(text.slice(0, opening).trim()), ...readEmail(text.slice(opening + 1, -1)) };
}

/** Formats a mailbox as `Name <local@domain>` without quotes, as in Message.from. */
export function formatMailbox({ name, email }: Mailbox): string {
  return name === '' ? email : `${name} <${email}>`;
}

/** Returns the same key for every spelling of a mailbox: almost no host distinguishes case in local parts. */
export function makeMailboxKey(email: string): string {
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
    throw new NoMailbox('must be one address; put a name with special characters in quotes');
  }
  // Many clients decode it even where RFC 2047 5 forbids that, so it could display anything.
  if (name.includes('=?')) throw new NoMailbox('has an encoded name; write it as plain text');
  if (/[<>]/.test(name)) throw new NoMailbox('has < or > in the name');
  return name;
}

function readEmail(text: string): Pick<Mailbox, 'email' | 'domain'> {
  const at = text.lastIndexOf('@');
  if (at < 1 || at === text.length - 1) throw new NoMailbox('must be an address like name@example.com');
  const local = text.slice(0, at);
  // RFC 5321 4.1.2: a Dot-string. Almost nobody means to write a quoted one.
  if (!/^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/.test(local)) {
    throw new NoMailbox('has a local part with other characters than ASCII letters, digits and dots');
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
  // Only letters, digits and joining characters: IDNA treats % and # as in a URL.
  const domain = /^[\p{L}\p{M}\p{N}.\u3002\u30fb\u00b7-]+$/u.test(written)
    ? mapToAscii(written).toLowerCase()
    : '';
  if (!domain.includes('.') || !isHostName(domain))
    throw new NoMailbox('has no domain that can receive mail');
  return domain;
}
