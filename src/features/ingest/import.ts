/** Imports mails like received ones: parses and stores them, and notifies waiting clients. */
import { join } from 'node:path';
import { fail } from '../../platform/core/failure.ts';
import { newId } from '../../platform/core/id.ts';
import type { RawSource } from '../../platform/mail/parsed.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { Trap } from '../accounts/trap.ts';
import type { Inbox } from '../inboxes/sql.ts';
import { markMessageOp } from '../messages/writes.ts';
import type { ParserPool } from './parser-pool.ts';
import { parseReceived, type ReceivedMail, receiveMail, storeParsed } from './receive.ts';
import type { Stored } from './writes.ts';

export interface BroughtMail {
  raw: Uint8Array;
  envelope_from: string;
  /** Whether it was already read at its source. */
  read: boolean;
  /** Whether the inbox's webhook is notified. */
  webhooks: boolean;
}

/** Larger mails are kept in a file while they are parsed and stored, as received ones are. */
const MEMORY_BYTES_MAX = 256 * 1024;

/**
 * Stores mails in order, each as received now: received_at always increases, so that a client following the inbox
 * misses none. Rejects when one could not be stored; those before it are.
 */
export async function importMails(
  services: PlatformServices,
  parsers: ParserPool,
  inbox: Inbox,
  mails: readonly BroughtMail[],
): Promise<string[]> {
  const sources = await Promise.all(mails.map(({ raw }) => makeSource(services, raw)));
  try {
    const parsed = await Promise.all(sources.map((source) => parseReceived(services, parsers, source)));
    const storing: Promise<Stored[]>[] = [];
    for (const [index, { raw, envelope_from, webhooks }] of mails.entries()) {
      const one = storeParsed(
        services,
        inbox.is_trap ? { account_no: inbox.account_no, cap: 0, isApart: true } : null,
        {
          session: 'import',
          helo: '',
          client_address: '127.0.0.1',
          protocol: 'import',
          smtp_user: null,
          envelope_from,
          webhooks,
          isJudged: false,
          // Old mail must not be forwarded again.
          rules: false,
          raw: sources[index]!,
          size: raw.length,
          recipients: [{ envelope_recipient: inbox.address, address: inbox.address }],
        },
        parsed[index]!,
      );
      storing.push(one);
      // A mail in a file is stored in steps, which later mails must not overtake.
      if ('file' in sources[index]!) await one;
    }
    const stored = (await Promise.all(storing)).flat();
    if (stored.length !== mails.length) {
      fail('conflict', {
        text: `The inbox ${inbox.address} accepts no mail: it was turned off or deleted in the meantime.`,
      });
    }
    const read = stored.filter((_, index) => mails[index]?.read);
    const { account_no } = inbox;
    await Promise.all(
      read.map(({ message_id }) =>
        services.store.write(markMessageOp, { account_no, id: message_id, read: true }),
      ),
    );
    return stored.map(({ message_id }) => message_id);
  } finally {
    await Promise.all(sources.map(drop));
  }
}

async function makeSource(services: PlatformServices, raw: Uint8Array): Promise<RawSource> {
  if (raw.length <= MEMORY_BYTES_MAX) return { bytes: raw };
  const file = join(services.spoolDir, `${newId('request')}.eml`);
  await Bun.write(file, raw);
  return { file };
}

async function drop(source: RawSource): Promise<void> {
  if ('file' in source) await Bun.file(source.file).delete();
}

/** Receives a mail from a door other than SMTP in the same way. */
export async function takeMail(
  services: PlatformServices,
  parsers: ParserPool,
  trap: Trap | null,
  mail: Omit<ReceivedMail, 'raw' | 'size'>,
  bytes: Uint8Array,
): Promise<Stored[]> {
  const raw = await makeSource(services, bytes);
  try {
    return await receiveMail(services, parsers, trap, { ...mail, raw, size: bytes.length });
  } finally {
    await drop(raw);
  }
}
