import { createReadStream } from 'node:fs';
import { crc32 } from 'node:zlib';
import { newId } from '../../platform/core/id.ts';
import type { ParsedContent, ParsedSummary, RawSource, SpooledMail } from '../../platform/mail/parsed.ts';
import type { StorableMail } from '../../platform/mail/parser-protocol.ts';
import { judgeAddress } from '../../platform/net/guard.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { Trap } from '../accounts/trap.ts';
import type { IngestServices, MailOrigin } from './parser-pool.ts';
import type { Recipient } from './recipient.ts';
import {
  appendRaw,
  beginRaw,
  dropRaw,
  type Stored,
  type StoreMail,
  storeMail,
  type Transmission,
} from './writes.ts';

/** A mail that was received completely. */
export interface ReceivedMail extends Transmission {
  /** The id of the SMTP session, or another word for where it comes from. All log lines about the mail have it. */
  session: string;
  raw: { bytes: Uint8Array } | SpooledMail;
  size: number;
  recipients: Recipient[];
  /** Whether the owner imports it: then neither sender lists nor rules apply. */
  isImported?: true;
  /** Whether an event is recorded, of which webhooks are notified; true by default. */
  isEvent?: boolean;
}

/** The size of the pieces of a large mail. The writer thread compresses one in about a millisecond. */
const PIECE_BYTES = 256 * 1024;

/**
 * Receives a mail (docs/architecture.md): parses it, stores it for all recipients in one commit, then notifies waiting
 * clients. Resolves after the commit and its fsync, so only then may 250 be sent. Returns the stored messages: none if
 * all recipients' inboxes are gone. Rejects with `storage_unavailable` if the disk is full, and with any other error
 * for faults on our side; then nothing is stored.
 */
export async function receiveMail(
  services: IngestServices,
  trap: Trap | null,
  mail: ReceivedMail,
): Promise<Stored[]> {
  return storeParsed(
    services,
    trap,
    mail,
    await parseReceived(services, mail.raw, { clientAddress: mail.client_address, size: mail.size }),
  );
}

/** The first half of receiveMail: parses the mail. */
export async function parseReceived(
  services: IngestServices,
  raw: RawSource,
  origin?: MailOrigin,
): Promise<StorableMail> {
  const beganMs = performance.now();
  const parsed = (await services.parsers.parse(raw, origin)) ?? makeUnreadable();
  services.meters.observe('parse_seconds', (performance.now() - beganMs) / 1000);
  return parsed;
}

/**
 * The second half of receiveMail: stores the mail and announces it. Mails in memory are stored in the order of the
 * calls.
 */
export async function storeParsed(
  services: PlatformServices,
  trap: Trap | null,
  mail: ReceivedMail,
  parsed: StorableMail,
): Promise<Stored[]> {
  const common = {
    envelope_from: mail.envelope_from,
    helo: mail.helo,
    client_address: mail.client_address,
    protocol: mail.protocol,
    smtp_user: mail.smtp_user,
    size: mail.size,
    summary: parsed.summary,
    content: parsed.content,
    isJson: parsed.isJson,
    recipients: mail.recipients.map((recipient) => ({ ...recipient, message_id: newId('message') })),
    isChecked: trap === null && isChecked(services, mail.client_address),
    isImported: mail.isImported === true,
    trap,
    isEvent: mail.isEvent ?? true,
  };
  const stored =
    'bytes' in mail.raw
      ? await storeAtOnce(services, mail.raw.bytes, common)
      : await storeInPieces(services, mail.raw, common);
  meterMail(services, mail, parsed.summary, stored.length);
  for (const one of stored) {
    services.log.info(one.isWithheld ? 'message withheld' : 'message stored', {
      session: mail.session,
      client: mail.client_address,
      id: one.message_id,
      inbox: one.inbox_id,
      size: mail.size,
      status: parsed.summary.status,
    });
    const { isChecked } = common;
    if (one.isWithheld) services.withheld.announce({ ...one, isChecked });
    else announceStored(services, one, parsed.summary, { session: mail.session, isChecked });
  }
  return stored;
}

/**
 * Stores a mail that is in memory. Its buffers are moved to the writer thread, not copied: nothing reads them
 * afterwards.
 */
function storeAtOnce(
  services: PlatformServices,
  bytes: Uint8Array,
  common: Omit<StoreMail, 'bytes' | 'raw_no'>,
): Promise<Stored[]> {
  const given = [bytes, common.content].flatMap((view) =>
    view.buffer instanceof ArrayBuffer && view.length === view.buffer.byteLength ? view.buffer : [],
  );
  return services.store.write(storeMail, { ...common, bytes, raw_no: null }, { given });
}

/** Rejects if the file is no longer what was received, so that the sender tries again. */
async function storeInPieces(
  services: PlatformServices,
  { file, checksum }: SpooledMail,
  common: Omit<StoreMail, 'bytes' | 'raw_no'>,
): Promise<Stored[]> {
  const { envelope_from, helo, client_address, protocol, smtp_user } = common;
  const rawNo = await services.store.write(beginRaw, {
    envelope_from,
    helo,
    client_address,
    protocol,
    smtp_user,
  });
  try {
    let part = 0;
    let sum = 0;
    let size = 0;
    for await (const bytes of createReadStream(file, { highWaterMark: PIECE_BYTES })) {
      sum = crc32(bytes, sum);
      size += bytes.length;
      await services.store.write(appendRaw, { raw_no: rawNo, part: part++, bytes: new Uint8Array(bytes) });
      // A file that grows without end would fill the disk.
      if (size > common.size) break;
    }
    if (size !== common.size || sum !== checksum)
      throw new Error(
        `the file of a mail has changed: ${size} bytes were read, ${common.size} were received`,
      );
    return await services.store.write(storeMail, { ...common, bytes: null, raw_no: rawNo });
  } catch (fault) {
    // If this fails too, the next start drops the mail.
    services.store.write(dropRaw, rawNo).catch(() => {});
    throw fault;
  }
}

/**
 * Whether to check the sender. Mail from private networks is normally not checked, because machines there have no SPF.
 */
function isChecked({ settings }: PlatformServices, clientAddress: string): boolean {
  if (settings.authentication === 'off') return false;
  if (settings.authentication === 'all') return true;
  return judgeAddress(clientAddress, []) === null;
}

function meterMail(
  { meters }: PlatformServices,
  mail: ReceivedMail,
  summary: ParsedSummary,
  messages: number,
): void {
  if (messages === 0) return;
  const { status, otp, magic_link } = summary;
  meters.count('mails_accepted_total');
  meters.count('messages_stored_total', {}, messages);
  meters.count('mail_bytes_total', {}, mail.size);
  meters.count('parses_total', { status });
  const found =
    otp === null ? (magic_link === null ? 'none' : 'link') : magic_link === null ? 'code' : 'both';
  meters.count('extractions_total', { found });
}

export function announceStored(
  services: Pick<PlatformServices, 'arrivals'>,
  stored: Omit<Stored, 'isWithheld'>,
  summary: ParsedSummary,
  mail: { session?: string; isChecked: boolean },
): void {
  services.arrivals.announce({
    ...stored,
    ...mail,
    from: summary.from,
    subject: summary.subject,
    otp: summary.otp,
    magic_link: summary.magic_link,
  });
}

/** The parsed form of a mail of which not even the headers could be read. Only its raw bytes are of use. */
function makeUnreadable(): StorableMail {
  const content: ParsedContent = {
    message_id: null,
    reply_to: null,
    sent_at: null,
    text: '',
    html: '',
    otp_context: null,
    otp_candidates: [],
    attachments: [],
    truncated: true,
  };
  return {
    summary: {
      status: 'failed',
      from: '',
      to: [],
      cc: [],
      subject: '',
      otp: null,
      otp_confidence: 0,
      magic_link: null,
      links: [],
      has_html: false,
      attachment_count: 0,
      tags: [],
      snippet: '',
      ref: null,
      refs: [],
    },
    content: Buffer.from(JSON.stringify(content)),
    isJson: true,
  };
}
