/** Parses the searches of Mailpit and MailHog, and decides whether a mail matches. */
import { failField } from '../../platform/core/failure.ts';
import { stripHtml } from '../../platform/mail/html/strip-html.ts';
import type { ParsedContent } from '../../platform/mail/parsed.ts';
import { listHiddenRecipients } from './addresses.ts';
import { readTime } from './times.ts';

const MAILPIT_PLACES = ['to', 'from', 'cc', 'bcc', 'reply-to', 'addressed', 'subject', 'message-id'] as const;

/** Where a term looks for its text. */
type Place =
  | (typeof MAILPIT_PLACES)[number]
  | 'anywhere'
  | 'mailhog-to'
  | 'mailhog-from'
  | 'mailhog-containing';

/** One condition. It is plain data, because it is sent to the reader thread. */
export type Term = { not: boolean } & (
  | { place: Place; text: string }
  | { is: 'read' | 'attachment' | 'inline' }
  | { tag: string | null }
  | { than: 'after' | 'before' | 'larger' | 'smaller'; value: number }
);

export type ContentOfMail = Pick<ParsedContent, 'message_id' | 'reply_to' | 'text' | 'html' | 'attachments'>;

/** A mail as a search sees it. The functions are costly, so they run only when a term needs them. */
export interface Searched {
  subject: string;
  from: string;
  to: readonly string[];
  cc: readonly string[];
  recipients: readonly string[];
  receivedAt: number;
  size: number;
  attachmentCount: number;
  isRead: boolean;
  tags: readonly string[];
  envelopeFrom(): string;
  content(): ContentOfMail;
  /** The mail as it was sent; only the beginning of a very large one. */
  source(): string;
}

const TERMS_MAX = 50;
const QUERY_CHARS_MAX = 1_000;

/**
 * Parses Mailpit's search text. Fails if it is too long or has a date that can't be read.
 *
 * @param zone The time zone of dates that name none, as `Europe/Berlin`; UTC if it is empty or unknown.
 */
export function readMailpitQuery(query: string, zone = ''): Term[] {
  if (query.length > QUERY_CHARS_MAX) failField('query', `has more than ${QUERY_CHARS_MAX} characters`);
  const words = splitWords(query);
  if (words.length > TERMS_MAX) failField('query', `has more than ${TERMS_MAX} terms`);
  return words.flatMap((word) => readTerm(word, zone) ?? []);
}

/** Returns the term of a MailHog search; null for an unknown kind. */
export function readKind(kind: string | null, query: string): Term[] | null {
  const known = (['to', 'from', 'containing'] as const).find((name) => name === kind);
  if (!known) return null;
  const text = query.slice(0, QUERY_CHARS_MAX).toLowerCase();
  return [{ not: false, place: `mailhog-${known}`, text }];
}

/** Splits at white space outside of quotes, and removes the quotes. */
function splitWords(query: string): string[] {
  return Array.from(query.matchAll(/(?:"[^"]*(?:"|$)|[^\s"])+/g), ([word]) =>
    word.replaceAll('"', '').trim(),
  ).filter((word) => word !== '');
}

function readTerm(word: string, zone: string): Term | null {
  const not = word.length > 1 && /^[-!]/.test(word);
  const asked = not ? word.slice(1) : word;
  const [, name = '', value = ''] = /^([a-z-]+):(.*)$/is.exec(asked) ?? [];
  const key = name.toLowerCase();
  const place = MAILPIT_PLACES.find((one) => one === key);
  if (place) {
    const text = place === 'subject' ? value.toLowerCase() : normalize(value);
    return text === '' ? null : { not, place, text };
  }
  const flag = readFlag(key, value.toLowerCase(), not, zone);
  if (flag) return flag;
  const text = normalize(asked);
  return text === '' ? null : { not, place: 'anywhere', text };
}

function readFlag(key: string, value: string, not: boolean, zone: string): Term | null {
  if (key === 'tag' && value !== '') return { not, tag: value };
  if (key === 'is' && value === 'tagged') return { not, tag: null };
  if (key === 'is' && value === 'read') return { not, is: 'read' };
  if (key === 'is' && value === 'unread') return { not: !not, is: 'read' };
  if (key === 'has' && /^attachments?$/.test(value)) return { not, is: 'attachment' };
  if (key === 'has' && /^inlines?$/.test(value)) return { not, is: 'inline' };
  if (key === 'after' || key === 'before') {
    const time = readTime(value, zone);
    return time === null
      ? failField('query', `${key}: must be a date such as 2026-11-22, or an ISO time`)
      : { not, than: key, value: time };
  }
  if (key === 'larger' || key === 'smaller') {
    const bytes = readSize(value);
    return bytes === null ? null : { not, than: key, value: bytes };
  }
  return null;
}

function readSize(value: string): number | null {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)\s?([km]b?)?$/.exec(value) ?? [];
  if (number === undefined) return null;
  const factor = unit.startsWith('k') ? 1024 : unit.startsWith('m') ? 1024 ** 2 : 1;
  return Number(number) * factor;
}

export function isMatch(mail: Searched, terms: readonly Term[]): boolean {
  return terms.every((term) => holds(mail, term) !== term.not);
}

function holds(mail: Searched, term: Term): boolean {
  if ('place' in term) return listTexts(mail, term.place).some((text) => text().includes(term.text));
  if ('tag' in term) return term.tag === null ? mail.tags.length > 0 : mail.tags.includes(term.tag);
  if ('is' in term) {
    if (term.is === 'read') return mail.isRead;
    if (mail.attachmentCount === 0) return false;
    return mail.content().attachments.some(({ inline }) => inline === (term.is === 'inline'));
  }
  if (term.than === 'after') return mail.receivedAt >= term.value;
  if (term.than === 'before') return mail.receivedAt < term.value;
  return term.than === 'larger' ? mail.size >= term.value : mail.size < term.value;
}

type Text = () => string;

/** Returns the texts to look for a term in, in lower case, the costly ones last. */
function listTexts(mail: Searched, place: Place): Text[] {
  const list = (addresses: readonly string[]) => () => normalize(addresses.join(' '));
  const replyTo = () => normalize(mail.content().reply_to ?? '');
  const lower = (text: string) => () => text.toLowerCase();
  const people = [list(mail.to), list([mail.from]), list(mail.cc), list(listHiddenRecipients(mail))];
  switch (place) {
    case 'to':
      return [list(mail.to)];
    case 'from':
      return [list([mail.from])];
    case 'cc':
      return [list(mail.cc)];
    case 'bcc':
      return [list(listHiddenRecipients(mail))];
    case 'reply-to':
      return [replyTo];
    case 'addressed':
      return [...people, replyTo];
    case 'subject':
      return [lower(mail.subject)];
    case 'message-id':
      return [() => normalize(mail.content().message_id ?? '')];
    case 'anywhere':
      return [...people, () => normalize(mail.subject), replyTo, ...listBodyTexts(mail)];
    case 'mailhog-to':
      return [lower(mail.recipients.join('\n')), lower(mail.to.join('\n'))];
    case 'mailhog-from':
      return [() => mail.envelopeFrom().toLowerCase(), lower(mail.from)];
    case 'mailhog-containing':
      return [
        ...[mail.subject, mail.from, ...mail.to, ...mail.cc].map(lower),
        () => mail.content().text.toLowerCase(),
        () => mail.content().html.toLowerCase(),
        () => mail.source().toLowerCase(),
      ];
  }
}

function listBodyTexts(mail: Searched): Text[] {
  return [
    () => normalize(mail.content().text),
    () => normalize(stripHtml(mail.content().html)),
    () => normalize(listLinks(mail.content().html)),
    () =>
      normalize(
        mail
          .content()
          .attachments.map(({ filename }) => filename ?? '')
          .join(' '),
      ),
  ];
}

/** Returns the links of HTML, because Mailpit finds a mail by them, too. */
function listLinks(html: string): string {
  return Array.from(html.matchAll(/\shref=(?:"(http[^"<>]*)"|'(http[^'<>]*)')/gi), (found) =>
    (found[1] ?? found[2] ?? '').replace(/&(?:amp|#38);/gi, '&'),
  ).join(' ');
}

/** Normalizes both sides of a comparison: lower case, with runs of white space and address punctuation as one space. */
function normalize(text: string): string {
  return text
    .replace(/[\s<>",;()\ufeff]+/g, ' ')
    .trim()
    .toLowerCase();
}
