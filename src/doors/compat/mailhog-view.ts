/**
 * A mail as MailHog shows it: undecoded, split at its blank lines and boundaries. Clients rely on MailHog's quirks: the
 * last of several headers with the same name counts, and the text before the first and after the last boundary is a
 * part too.
 */
import type { RawRow, SummaryRow } from '../../features/messages/sql.ts';
import { isoTime } from '../../platform/core/clock.ts';
import { readJoined } from './addresses.ts';
import { DAMAGED_TEXT } from './door.ts';
import type { GroupedMail } from './sql.ts';

type Envelope = Pick<RawRow, 'envelope_from' | 'helo'>;

interface Path {
  Relays: null;
  Mailbox: string;
  Domain: string;
  Params: string;
}

interface Content {
  Headers: Record<string, string[]>;
  Body: string;
  Size: number;
  MIME: { Parts: Content[] } | null;
}

/** Bounds the work for a mail of nothing but boundaries. */
const PARTS_MAX = 1_000;
const LEVELS_MAX = 10;
const HEADERS_MAX = 2_000;

export function makeItem(mail: GroupedMail, raw: Envelope, data: string): Record<string, unknown> {
  const { envelope_from, helo } = raw;
  const content = splitContent(data);
  addOwnHeaders(content.Headers, mail, raw);
  const { Headers, Body, Size } = content;
  return {
    ID: mail.id,
    From: splitPath(envelope_from),
    To: mail.recipients.map(splitPath),
    Content: { Headers, Body, Size, MIME: null },
    Created: isoTime(mail.received_at),
    MIME: makeParts(content, 1, { left: PARTS_MAX }),
    Raw: { From: envelope_from, To: mail.recipients, Data: data, Helo: helo },
  };
}

/** What the store knows of a mail without its bytes, as the mail that it would be. */
export function makeDamagedItem(mail: GroupedMail, row: SummaryRow): Record<string, unknown> {
  const fields = [
    ['From', row.from],
    ['To', (JSON.parse(row.to) as string[]).join(', ')],
    ['Subject', row.subject],
  ];
  const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const [sender] = readJoined(row.from);
  const raw = { envelope_from: sender?.Address ?? '', helo: '' };
  return makeItem(mail, raw, `${head}\r\n${DAMAGED_TEXT}`);
}

function splitPath(address: string): Path {
  const at = address.indexOf('@');
  return {
    Relays: null,
    Mailbox: at < 0 ? address : address.slice(0, at),
    Domain: at < 0 ? '' : address.slice(at + 1),
    Params: '',
  };
}

function splitContent(text: string): Content {
  const gap = text.indexOf('\r\n\r\n');
  const body = gap < 0 ? text : text.slice(gap + 4);
  return {
    Headers: splitHeaders(gap < 0 ? '' : text.slice(0, gap)),
    Body: body,
    Size: text.length,
    MIME: null,
  };
}

function splitHeaders(section: string): Record<string, string[]> {
  const headers: Record<string, string[]> = Object.create(null);
  let last = '';
  let names = 0;
  for (const line of section.split('\r\n')) {
    const border = line.indexOf(': ');
    if (last !== '' && /^[ \t]/.test(line)) headers[last] = [`${headers[last]?.[0] ?? ''}${line}`];
    else if (border > 0 && names < HEADERS_MAX) {
      last = line.slice(0, border);
      headers[last] = [line.slice(border + 2)];
      names += 1;
    }
  }
  return headers;
}

/** The headers that MailHog adds when it receives a mail. */
function addOwnHeaders(
  headers: Record<string, string[]>,
  { id, received_at }: GroupedMail,
  raw: Envelope,
): void {
  const findName = (wanted: string) =>
    Object.keys(headers).find((name) => name.toLowerCase() === wanted.toLowerCase());
  const add = (name: string, value: string) => {
    const key = findName(name) ?? name;
    headers[key] = [...(headers[key] ?? []), value];
  };
  if (findName('Message-ID') === undefined) headers['Message-ID'] = [id];
  const time = new Date(received_at / 1_000).toUTCString().replace('GMT', '+0000');
  add('Received', `from ${raw.helo} by localhost (Postern)\r\n          id ${id}; ${time}`);
  add('Return-Path', `<${raw.envelope_from}>`);
}

/** Removes line ends from both ends of a text. */
function trimLineEnds(text: string): string {
  const isEnd = (at: number) => text[at] === '\r' || text[at] === '\n';
  let [from, to] = [0, text.length];
  while (from < to && isEnd(from)) from += 1;
  while (to > from && isEnd(to - 1)) to -= 1;
  return text.slice(from, to);
}

/** Returns the parts of a multipart; null for other content. All levels share the budget. */
function makeParts(content: Content, level: number, budget: { left: number }): Content['MIME'] {
  const type = content.Headers['Content-Type']?.[0] ?? '';
  if (!type.startsWith('multipart/')) return null;
  const boundary = /;\s*boundary\s*=\s*(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(type);
  const mark = boundary?.[1] ?? boundary?.[2];
  const parts: Content[] = [];
  for (const piece of mark === undefined ? [] : content.Body.split(`--${mark}`, budget.left)) {
    if (piece === '' || budget.left <= 0) continue;
    budget.left -= 1;
    const part = splitContent(trimLineEnds(piece));
    part.MIME = level < LEVELS_MAX ? makeParts(part, level + 1, budget) : null;
    parts.push(part);
  }
  return { Parts: parts };
}
