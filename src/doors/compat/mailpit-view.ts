/** A mail as Mailpit's API shows it (https://mailpit.axllent.org/docs/api-v1/). */
import { createHash } from 'node:crypto';
import { readAttachmentBytes } from '../../features/messages/attachment.ts';
import type { RawRow, SummaryRow } from '../../features/messages/sql.ts';
import { listTags } from '../../features/messages/view.ts';
import { isoTime } from '../../platform/core/clock.ts';
import { nextTurn } from '../../platform/core/next-turn.ts';
import type { AttachmentInfo, ParsedContent } from '../../platform/mail/parsed.ts';
import { showBeginning } from '../../platform/mail/snippet.ts';
import { readContent, readContentJson } from '../../platform/mail/stored-mail.ts';
import { type ListedAddress, listHiddenRecipients, readJoined, readListed } from './addresses.ts';
import { type CompatDoor, DAMAGED_TEXT, type OpenedMail } from './door.ts';
import { SEND_PROTOCOL } from './send.ts';
import { listHeaderFields, requireRaw } from './source.ts';
import type { GroupedMail } from './sql.ts';

const SNIPPET_CHARS_MAX = 200;
/** Checksums need the attachments' bytes, so they are computed for at most this many, and this many bytes in total. */
const SUMMED_MAX = 30;
const SUMMED_BYTES_MAX = 32 * 1024 * 1024;

export function makeSummary(mail: OpenedMail): Record<string, unknown> {
  const { row } = mail;
  const content = readContent(row);
  return {
    ...makeSharedSummary(mail, row, content.reply_to),
    MessageID: stripBrackets(content.message_id),
    Username: row.smtp_user ?? '',
    Attachments: content.attachments.filter(({ inline }) => !inline).length,
    Snippet: makeSnippet(content),
  };
}

/** What the store knows of a mail without its content. */
export function makeDamagedSummary(mail: GroupedMail, row: SummaryRow): Record<string, unknown> {
  return {
    ...makeSharedSummary(mail, row, null),
    MessageID: '',
    Username: '',
    Attachments: row.attachment_count,
    Snippet: DAMAGED_TEXT,
  };
}

function makeSharedSummary(mail: GroupedMail, row: SummaryRow, replyTo: string | null) {
  const { From, To, Cc, Bcc, ReplyTo } = readPeople(mail.recipients, row, replyTo);
  // Mailpit's lists have null for none of these three.
  const orNull = (people: ListedAddress[]) => (people.length > 0 ? people : null);
  return {
    ID: mail.id,
    Read: mail.is_read,
    From,
    To: orNull(To),
    Cc: orNull(Cc),
    Bcc: orNull(Bcc),
    ReplyTo,
    Subject: row.subject,
    Created: isoTime(mail.received_at),
    Tags: listTags(row),
    Size: row.size,
  };
}

export async function makeMessage(door: CompatDoor, mail: OpenedMail): Promise<Record<string, unknown>> {
  const { row } = mail;
  const content = readContent(row);
  const raw = requireRaw(door, mail.id);
  const people = readPeople(mail.recipients, row, content.reply_to);
  const attachments = await listAttachments(door, raw, content.attachments);
  const shown = (inline: boolean) =>
    attachments.filter((_, at) => content.attachments[at]?.inline === inline);
  return {
    ID: mail.id,
    MessageID: stripBrackets(content.message_id),
    // Only early versions of Mailpit have this, and PyPI's mailpit-api-client requires it. Reading marks a mail read.
    Read: true,
    ...people,
    ReturnPath: row.envelope_from || people.From.Address,
    Subject: row.subject,
    ListUnsubscribe: readUnsubscribe(
      new Map(listHeaderFields(door, raw).map(([name, value]) => [name.toLowerCase(), value])),
    ),
    Date: content.sent_at ?? isoTime(mail.received_at),
    Tags: listTags(row),
    Username: row.smtp_user ?? '',
    Text: await readShownText(door, mail, raw, content),
    HTML: writeLineEnds(raw, content.html),
    Size: row.size,
    Inline: shown(true),
    Attachments: shown(false),
  };
}

/** Returns the text of a mail. If it has only HTML, returns the text of that, with its links. */
export async function readShownText(
  door: CompatDoor,
  { row }: OpenedMail,
  raw: RawRow,
  { text, html }: ParsedContent,
): Promise<string> {
  if (text !== '' || html === '') return writeLineEnds(raw, text);
  const look = { pictures: false, linksInText: true };
  const quotable = await door.services.mailReader.quotable(readContentJson(row), look, door.accountNo);
  return quotable?.text ?? '';
}

/** Mailpit leaves line ends as they are: CRLF in mail (RFC 5322 2.1), and what was sent through its own API. */
function writeLineEnds({ protocol }: RawRow, text: string): string {
  return protocol === SEND_PROTOCOL ? text : text.replace(/\r?\n/g, '\r\n');
}

interface People {
  From: ListedAddress;
  To: ListedAddress[];
  Cc: ListedAddress[];
  Bcc: ListedAddress[];
  ReplyTo: ListedAddress[];
}

function readPeople(recipients: string[], row: SummaryRow, replyTo: string | null): People {
  const to = JSON.parse(row.to) as string[];
  const cc = JSON.parse(row.cc) as string[];
  return {
    From: readJoined(row.from)[0] ?? { Name: '', Address: '' },
    To: to.map(readListed).filter(hasAddress),
    Cc: cc.map(readListed).filter(hasAddress),
    Bcc: listHiddenRecipients({ to, cc, recipients }).map(readListed),
    ReplyTo: readJoined(replyTo ?? '').filter(hasAddress),
  };
}

/** False for `undisclosed-recipients:;` and for a bare name. */
function hasAddress({ Address }: ListedAddress): boolean {
  return Address !== '';
}

function stripBrackets(id: string | null): string {
  return (id ?? '').replace(/^<|>$/g, '');
}

/** Returns the beginning of what the HTML shows, as Mailpit does; of the text if there is none. */
function makeSnippet({ text, html }: ParsedContent): string {
  const joinBlanks = (shown: string) => shown.replace(/[\s\ufeff]+/g, ' ').trim();
  const whole = joinBlanks(showBeginning(html)) || joinBlanks(text);
  if (whole.length <= SNIPPET_CHARS_MAX) return whole;
  return `${whole.slice(0, SNIPPET_CHARS_MAX).toWellFormed()}...`;
}

/** Reads List-Unsubscribe (RFC 2369 and 8058) from the headers, without requesting the links. */
function readUnsubscribe(headers: ReadonlyMap<string, string>): Record<string, unknown> {
  const header = headers.get('list-unsubscribe') ?? '';
  const links = Array.from(header.matchAll(/<\s*([^<>\s]+)\s*>/g), ([, link = '']) => link);
  const known = links.filter((link) => /^(https?:\/\/|mailto:)/i.test(link));
  const isSound = header === '' || (known.length > 0 && known.length === links.length);
  return {
    Header: header,
    Links: known,
    Errors: isSound ? '' : 'the header must have links in <>, each mailto: or http(s)://',
    HeaderPost: headers.get('list-unsubscribe-post') ?? '',
  };
}

async function listAttachments(
  door: CompatDoor,
  raw: RawRow,
  attachments: readonly AttachmentInfo[],
): Promise<Record<string, unknown>[]> {
  let bytesLeft = SUMMED_BYTES_MAX;
  const listed: Record<string, unknown>[] = [];
  for (const info of attachments) {
    const isSummed = listed.length < SUMMED_MAX && info.size <= bytesLeft;
    if (isSummed) bytesLeft -= info.size;
    const contentId = stripBrackets(info.content_id);
    listed.push({
      PartID: formatPartId(info),
      // Many mailers give an inline image no name, and Mailpit's clients find it by this one.
      FileName: info.filename || contentId,
      ContentType: info.content_type,
      ContentID: contentId,
      Size: info.size,
      Checksums: isSummed ? await computeChecksums(door, raw, info) : NO_SUMS,
    });
  }
  return listed;
}

export function formatPartId({ index }: Pick<AttachmentInfo, 'index'>): string {
  return String(index + 1);
}

const NO_SUMS = { MD5: '', SHA1: '', SHA256: '' };

async function computeChecksums(
  { services, accountNo }: CompatDoor,
  raw: RawRow,
  { index, size }: AttachmentInfo,
): Promise<typeof NO_SUMS> {
  const held = services.heldBytes.take(accountNo, size);
  try {
    const bytes = await readAttachmentBytes(services, accountNo, raw, index);
    if (!bytes) return NO_SUMS;
    const sum = async (name: string) => {
      await nextTurn();
      return createHash(name).update(bytes).digest('hex');
    };
    return { MD5: await sum('md5'), SHA1: await sum('sha1'), SHA256: await sum('sha256') };
  } finally {
    held.release();
  }
}
