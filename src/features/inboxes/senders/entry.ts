import { parseMailbox } from '../../../platform/mail/address-syntax.ts';
import { readDomainName } from '../../../platform/mail/domain-name.ts';

/*
 * An entry of a sender list: an address, a domain (`example.com`, without its subdomains), or all subdomains of one
 * (`*.example.com`). Entries are in lower case, with domains in ASCII (IDNA).
 */

export type EntryReading = { entry: string } | { fault: string };

/** The longest address has 254 characters. */
const CHARS_MAX = 320;
const FORMS = 'must be an address, a domain, or *. before a domain';

/** Reads an entry in the forms in which people write it: `@example.com` and `*@example.com` mean the domain. */
export function readEntry(written: string, list: 'allow' | 'block'): EntryReading {
  const text = written.trim();
  if (text === '') return { fault: FORMS };
  if (text.length > CHARS_MAX) return { fault: `has more than ${CHARS_MAX} characters` };
  const name = text.replace(/^\*?@/, '');
  if (name.includes('@')) return readAddress(name);
  return name.startsWith('*.') ? readWildcard(name.slice(2), list) : readDomain(name);
}

function readAddress(text: string): EntryReading {
  const mailbox = parseMailbox(text);
  // parseMailbox also refuses a display name and a list of addresses.
  if (!mailbox || mailbox.isLiteral || text.includes('*')) return { fault: FORMS };
  return { entry: `${mailbox.local.toLowerCase()}@${mailbox.domain}` };
}

function readDomain(text: string): EntryReading {
  const read = readDomainName(text);
  if ('name' in read) return { entry: read.name };
  return { fault: read.fault.startsWith('must be a bare hostname') ? FORMS : read.fault };
}

/**
 * Blocking everything under a public suffix, such as `*.co.uk`, is a valid choice. Allowing it would let in anyone who
 * registers a name there, so only a block may name one.
 */
function readWildcard(text: string, list: 'allow' | 'block'): EntryReading {
  const read = readDomainName(list === 'block' ? `any.${text}` : text);
  if ('fault' in read) return readDomain(text);
  return { entry: list === 'block' ? `*${read.name.slice('any'.length)}` : `*.${read.name}` };
}
