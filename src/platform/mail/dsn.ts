/**
 * Reads delivery reports (RFC 3464), and the most common reports in other forms: those of qmail (QSBMF), old Exim,
 * Postfix, Sendmail and Exchange. Runs in the parser process, because the mail is a stranger's. The caller knows which
 * addresses it wrote to, so extra addresses do no harm.
 */
import { decodeText, type MimePart, readHeaders, readParts } from './dsn-parts.ts';

export interface DeliveryReport {
  recipients: ReportedRecipient[];
}

export interface ReportedRecipient {
  /** Lower-case: the address that was refused, and the one that we wrote to. */
  addresses: string[];
  action: 'failed' | 'delayed' | 'other';
  /** Enhanced status (RFC 3463), such as `5.1.1`; null if there is none. */
  status: string | null;
  /** The text of the refusing server, or of the reporting one. */
  text: string;
}

/** Octets read: the report comes before the copy of the returned mail. */
const REPORT_BYTES_MAX = 256 * 1024;
/** Recipients in a report. */
export const REPORTED_MAX = 100;
/** Addresses of one recipient: what it was refused as and what we wrote to, each with and without an encoding. */
export const REPORTED_ADDRESSES_MAX = 8;
/** Characters of the words about one. */
export const REPORT_TEXT_CHARS_MAX = 500;
const LINES_MAX = 2_000;
const LINE_CHARS_MAX = 2_000;

/** Reads a report; null if the mail is not one in a known form. */
export function readReport(bytes: Uint8Array): DeliveryReport | null {
  const part = readParts(bytes.subarray(0, REPORT_BYTES_MAX));
  const recipients = readStatuses(part) ?? readTextReport(part) ?? [];
  return recipients.length > 0 ? { recipients: recipients.slice(0, REPORTED_MAX) } : null;
}

/** Reads the standard form; null if the mail has no such part. */
function readStatuses(mail: MimePart): ReportedRecipient[] | null {
  const part = find(mail, ({ type }) => /^message\/(global-)?delivery-status$/.test(type));
  if (!part) return null;
  const groups = decodeText(part)
    .split(/\r?\n[ \t]*\r?\n/)
    .map((group) => readHeaders(group.trim()));
  return groups.flatMap((fields) => {
    const given = [fields.get('final-recipient'), fields.get('original-recipient')];
    const addresses = removeDuplicates(
      given.flatMap((field) => (field === undefined ? [] : readAddress(field))),
    ).slice(0, REPORTED_ADDRESSES_MAX);
    const action = (fields.get('action') ?? '').trim().toLowerCase();
    if (addresses.length === 0 || action === '') return [];
    const text = (fields.get('diagnostic-code') ?? '').replace(/^[^;]{0,40};\s*/, '').trim();
    const givenStatus = readStatus(fields.get('status') ?? '');
    // Exim reports 5.0.0 for everything; the server's words may say more.
    const status =
      givenStatus && !givenStatus.endsWith('.0.0') ? givenStatus : (readStatus(text) ?? givenStatus);
    return [{ addresses, action: readAction(action), status, text: cutReport(text) }];
  });
}

function cutReport(text: string): string {
  return text.slice(0, REPORT_TEXT_CHARS_MAX).toWellFormed();
}

function readAction(action: string): ReportedRecipient['action'] {
  if (/^failed\b/.test(action)) return 'failed';
  return /^delayed\b/.test(action) ? 'delayed' : 'other';
}

/** `rfc822; user@example.org`, `rfc822;<user@example.org>`, `utf-8; …`. */
function readAddress(field: string): string[] {
  const given = field.replace(/^[^;@]{0,40};/, '').trim();
  // xtext (RFC 3461 4): `+` and two upper-case hexadecimal digits; the case tells it from an address with a tag.
  const plain = given.replace(/\+([0-9A-F]{2})/g, (_, digits) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return removeDuplicates([given, plain].flatMap((text) => text.match(ADDRESS) ?? []));
}

const ADDRESS = /[^\s<>()[\]:;,"'@]{1,128}@[^\s<>()[\]:;,"'@]{1,255}/g;

/** A text-only form of report: the texts that begin and end its list of addresses. */
interface Form {
  begins: RegExp;
  ends: RegExp;
  action: ReportedRecipient['action'];
}

const COPY = /^-{2,}|^\s*Original message|^\s*------ This is a copy|^(Return-Path|Received): /i;

const forms: readonly Form[] = [
  // qmail (QSBMF), and programs that copied its wording.
  {
    begins: /^Hi\. (This is|I'm) the |^This is a permanent error; I've given up/im,
    ends: /^--- (Below|Enclosed)/,
    action: 'failed',
  },
  // Exim: the warning looks like the failure.
  {
    begins: /has not been delivered to all of its recipients|has not yet been delivered/i,
    ends: COPY,
    action: 'delayed',
  },
  {
    begins:
      /The following address(\(es\)|es)? failed:|could not be delivered to (one or more of its|the following) recipients/i,
    ends: COPY,
    action: 'failed',
  },
  // Postfix.
  {
    begins: /This is just a warning|THIS IS A WARNING MESSAGE ONLY|still being retried/i,
    ends: COPY,
    action: 'delayed',
  },
  {
    begins:
      /your message could not\s+be delivered to one or more|message returned\s+below could not be delivered/i,
    ends: COPY,
    action: 'failed',
  },
  // Sendmail.
  {
    begins: /The following addresses had (permanent|delivery) (fatal errors|problems|errors)/i,
    ends: /^\s*-{2,}.*(Original|Returned|Message header)/i,
    action: 'failed',
  },
  {
    begins: /The following addresses had transient non-fatal errors/i,
    ends: /^\s*-{2,}.*(Original|Returned)/i,
    action: 'delayed',
  },
  // Exchange, Outlook and Microsoft 365.
  { begins: /did not reach the following recipient/i, ends: COPY, action: 'failed' },
  {
    begins: /Delivery (has failed|is delayed) to these recipients/i,
    ends: /Diagnostic information for administrators|Original message headers/i,
    action: 'failed',
  },
  {
    begins: /^(Delivery to the following recipients? failed|Your message (wasn't|couldn't be) delivered)/im,
    ends: COPY,
    action: 'failed',
  },
  // Others.
  {
    begins:
      /(I was|we were) unable to deliver your message|Delivery to the following recipient(s)? (has )?failed( permanently)?|undeliverable to the following/i,
    ends: COPY,
    action: 'failed',
  },
];

/** The forms, with sentences that may be broken into lines at any space. Each pattern has words around its spaces. */
const wrappableForms = forms.map(({ begins: { source, flags }, ...form }) => ({
  ...form,
  begins: new RegExp(source.replaceAll(' ', '\\s+'), flags),
}));

/** Reads a text-only form; null if it is not a known one. */
function readTextReport(mail: MimePart): ReportedRecipient[] | null {
  const part = find(mail, ({ type }) => type === 'text/plain') ?? (mail.parts.length === 0 ? mail : null);
  const text = part ? decodeText(part) : '';
  for (const form of wrappableForms) {
    const first = form.begins.exec(text);
    if (!first) continue;
    const rest = splitLines(text.slice(first.index));
    // "Delivery is delayed" shares its form with the failure.
    const isDelay = form.action === 'delayed' || /\bdelayed\b/i.test(first[0]);
    const last = rest.findIndex((line, index) => index > 0 && form.ends.test(line));
    const entries = readEntries(last < 0 ? rest : rest.slice(0, last), isDelay ? 'delayed' : 'failed');
    if (entries.length > 0) return entries;
  }
  return readFailedHeader(mail);
}

/** Reads entries. A line that begins with an address starts one, and the following lines are about it. */
function readEntries(lines: readonly string[], action: ReportedRecipient['action']): ReportedRecipient[] {
  const found: ReportedRecipient[] = [];
  for (const line of lines) {
    const leading = /^[\s*"]*<?([^\s<>()[\]:;,"'@]{1,128}@[^\s<>()[\]:;,"'@]{1,255})>?/.exec(line);
    const last = found.at(-1);
    const isSame = last?.addresses[0] === tidyAddress(leading?.[1] ?? '');
    // The server's words may also begin a line with the address.
    if (leading && !isSame && found.length < REPORTED_MAX) {
      const text = line.slice(leading[0].length).replace(/^[\s":]+/, '');
      found.push({ addresses: [tidyAddress(leading[1] ?? '')], action, status: null, text: cutReport(text) });
    } else if (last && last.text.length < REPORT_TEXT_CHARS_MAX) {
      last.text = cutReport(`${last.text} ${line.trim()}`.trim());
    }
  }
  for (const one of found) one.status = readStatus(one.text) ?? (one.action === 'failed' ? '5.0.0' : null);
  return found;
}

/** Exim lists failed recipients in a header, whatever the text says. */
function readFailedHeader(mail: MimePart): ReportedRecipient[] | null {
  const addresses = mail.headers.get('x-failed-recipients')?.match(ADDRESS) ?? [];
  if (addresses.length === 0) return null;
  return removeDuplicates(addresses).map((address) => ({
    addresses: [address],
    action: 'failed',
    status: '5.0.0',
    text: '',
  }));
}

/** Finds a status such as `5.1.1` in a text, or derives `5.0.0` from a reply code. */
function readStatus(text: string): string | null {
  const enhanced = /(?:^|[^\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d.]\d)/.exec(text)?.[1];
  if (enhanced) return enhanced;
  const code = /(?:^|[\s:(])([45])\d\d(?:[\s-]|$)/.exec(text)?.[1];
  return code ? `${code}.0.0` : null;
}

function splitLines(text: string): string[] {
  return text.split(/\r?\n/, LINES_MAX).map((line) => line.slice(0, LINE_CHARS_MAX));
}

function find(part: MimePart, is: (part: MimePart) => boolean): MimePart | null {
  if (is(part)) return part;
  // A quoted message is not part of the report.
  if (part.type.startsWith('message/')) return null;
  for (const child of part.parts) {
    const found = find(child, is);
    if (found) return found;
  }
  return null;
}

function removeDuplicates(addresses: readonly string[]): string[] {
  return [...new Set(addresses.map(tidyAddress))];
}

function tidyAddress(address: string): string {
  return address.toLowerCase().replace(/[.>]+$/, '');
}
