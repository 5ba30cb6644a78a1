/** Stores mails that did not come by SMTP, like received ones: they are parsed and stored, and wake waiting clients. */
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { Failure } from '../../platform/core/failure.ts';
import { newId } from '../../platform/core/id.ts';
import type { RawSource } from '../../platform/mail/parsed.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { parsing } from '../../rules/parsing.ts';
import type { Trap } from '../accounts/trap.ts';
import type { Inbox } from '../inboxes/sql.ts';
import { markMessageOp } from '../messages/writes.ts';
import type { IngestServices } from './parser-pool.ts';
import { parseReceived, type ReceivedMail, receiveMail, storeParsed } from './receive.ts';
import type { Stored } from './writes.ts';

export interface MailToImport {
  raw: Uint8Array;
  envelope_from: string;
  /** Whether it was already read at its source. */
  read: boolean;
  /** Whether the inbox's webhook is notified. */
  webhooks: boolean;
}

/** An import that stopped before its end. */
export class ImportStopped extends Error {
  override name = 'ImportStopped';

  constructor(
    /** How many mails were stored: all before the first that could not be. */
    readonly imported: number,
    readonly reason: unknown,
  ) {
    super('not all mails were stored');
  }
}

/**
 * Stores mails in order, each as received now: received_at always increases, so a client that follows the inbox misses
 * none. Returns the ids of the messages. Rejects with ImportStopped if a mail can't be stored; those before it are.
 */
export async function importMails(
  services: IngestServices,
  inbox: Inbox,
  mails: readonly MailToImport[],
): Promise<string[]> {
  const trap = inbox.is_trap ? { account_no: inbox.account_no, cap: 0, isApart: true } : null;
  const sources = await Promise.all(mails.map(({ raw }) => makeSource(services, raw)));
  try {
    const parsed = await Promise.all(sources.map((source) => parseReceived(services, source)));
    const storing: Promise<Stored[]>[] = [];
    for (const [index, mail] of mails.entries()) {
      const one = storeParsed(services, trap, describe(inbox, mail, sources[index]!), parsed[index]!);
      storing.push(one);
      // A mail in a file is stored in steps, which later mails must not overtake.
      if ('file' in sources[index]! && !(await isStored(one))) break;
    }
    const { stored, cause } = await settleInOrder(inbox, storing);
    const read = stored.filter((_, index) => mails[index]?.read);
    const { account_no } = inbox;
    const marking = await Promise.allSettled(
      read.map(({ message_id }) =>
        services.store.write(markMessageOp, { account_no, id: message_id, read: true }),
      ),
    );
    const fault = cause ?? marking.find((mark) => mark.status === 'rejected');
    if (fault) throw new ImportStopped(stored.length, fault.reason);
    return stored.map(({ message_id }) => message_id);
  } finally {
    await Promise.all(sources.map(drop));
  }
}

function describe(
  inbox: Inbox,
  { raw, envelope_from, webhooks }: MailToImport,
  source: ReceivedMail['raw'],
): ReceivedMail {
  return {
    session: 'import',
    helo: '',
    client_address: '127.0.0.1',
    protocol: 'import',
    smtp_user: null,
    envelope_from,
    isEvent: webhooks,
    // A rule could forward old mail again.
    isImported: true,
    raw: source,
    size: raw.length,
    recipients: [{ envelope_recipient: inbox.address, address: inbox.address }],
  };
}

function isStored(one: Promise<Stored[]>): Promise<boolean> {
  return one.then(
    ({ length }) => length > 0,
    () => false,
  );
}

/** Returns what was stored before the first failure, and the cause of that failure. */
async function settleInOrder(
  inbox: Inbox,
  storing: readonly Promise<Stored[]>[],
): Promise<{ stored: Stored[]; cause: { reason: unknown } | null }> {
  const stored: Stored[] = [];
  for (const one of await Promise.allSettled(storing)) {
    if (one.status === 'rejected') return { stored, cause: one };
    const [message] = one.value;
    if (!message) return { stored, cause: { reason: refuseClosed(inbox) } };
    stored.push(message);
  }
  return { stored, cause: null };
}

function refuseClosed({ address }: Inbox): Failure {
  return new Failure('conflict', {
    text: `The inbox ${address} accepts no mail: it was turned off or deleted in the meantime.`,
  });
}

async function makeSource(services: PlatformServices, raw: Uint8Array): Promise<ReceivedMail['raw']> {
  if (raw.length <= parsing.memoryBytesMax) return { bytes: raw };
  const file = join(services.spoolDir, `${newId('request')}.eml`);
  await Bun.write(file, raw);
  return { file, checksum: crc32(raw) };
}

/** Removes the file of a mail, if it is still there. */
async function drop(source: RawSource): Promise<void> {
  if ('file' in source)
    await Bun.file(source.file)
      .delete()
      .catch(() => {});
}

/** Receives a mail that comes through a door other than SMTP. See receiveMail. */
export async function receiveBytes(
  services: IngestServices,
  trap: Trap | null,
  mail: Omit<ReceivedMail, 'raw' | 'size'>,
  bytes: Uint8Array,
): Promise<Stored[]> {
  const raw = await makeSource(services, bytes);
  try {
    return await receiveMail(services, trap, { ...mail, raw, size: bytes.length });
  } finally {
    await drop(raw);
  }
}
