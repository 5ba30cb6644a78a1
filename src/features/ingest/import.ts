/** Mails that the operator brings along, by the way of a received one: parsed, stored, told to who waits. */
import { join } from 'node:path';
import { fail } from '../../platform/core/failure.ts';
import { newId } from '../../platform/core/id.ts';
import type { RawSource } from '../../platform/mail/parsed.ts';
import type { PlatformServices } from '../../platform/services.ts';
import type { Inbox } from '../inboxes/sql.ts';
import { markMessageOp } from '../messages/writes.ts';
import type { ParserPool } from './parser-pool.ts';
import { haveParsed, type ReceivedMail, receiveMail, storeParsed } from './receive.ts';
import type { CaptureRule } from './recipient.ts';
import type { Stored } from './writes.ts';

export interface BroughtMail {
  raw: Uint8Array;
  envelope_from: string;
  /** It was read where it comes from. */
  read: boolean;
  /** Whether the inbox's webhook is told of it. */
  webhooks: boolean;
}

/** A mail of more bytes is in a file while it is parsed and stored, as a received one is. */
const MEMORY_BYTES_MAX = 256 * 1024;

/**
 * Stores the mails in their order; each is received now (received_at grows strictly, so that whoever follows the inbox
 * misses none). Rejects when one could not be stored; those before it are.
 */
export async function bringMails(
  services: PlatformServices,
  parsers: ParserPool,
  inbox: Inbox,
  mails: readonly BroughtMail[],
): Promise<string[]> {
  const sources = await Promise.all(mails.map(({ raw }) => sourceOf(services, raw)));
  try {
    const parsed = await Promise.all(sources.map((source) => haveParsed(services, parsers, source)));
    const storing: Promise<Stored[]>[] = [];
    for (const [index, { raw, envelope_from, webhooks }] of mails.entries()) {
      const one = storeParsed(
        services,
        null,
        {
          session: 'import',
          helo: '',
          client_address: '127.0.0.1',
          protocol: 'import',
          envelope_from,
          webhooks,
          raw: sources[index]!,
          size: raw.length,
          recipients: [{ envelope_recipient: inbox.address, address: inbox.address }],
        },
        parsed[index]!,
      );
      storing.push(one);
      // One in a file is stored in steps, which those after it must not overtake.
      if ('file' in sources[index]!) await one;
    }
    const stored = (await Promise.all(storing)).flat();
    if (stored.length !== mails.length) {
      fail('conflict', {
        text: `The inbox ${inbox.address} takes no mail: it is turned off, or was deleted meanwhile.`,
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

async function sourceOf(services: PlatformServices, raw: Uint8Array): Promise<RawSource> {
  if (raw.length <= MEMORY_BYTES_MAX) return { bytes: raw };
  const file = join(services.spoolDir, `${newId('request')}.eml`);
  await Bun.write(file, raw);
  return { file };
}

async function drop(source: RawSource): Promise<void> {
  if ('file' in source) await Bun.file(source.file).delete();
}

/** Takes a mail in from a door other than SMTP, by the same way. */
export async function takeMail(
  services: PlatformServices,
  parsers: ParserPool,
  capture: CaptureRule,
  mail: Omit<ReceivedMail, 'raw' | 'size'>,
  bytes: Uint8Array,
): Promise<Stored[]> {
  const raw = await sourceOf(services, bytes);
  try {
    return await receiveMail(services, parsers, capture, { ...mail, raw, size: bytes.length });
  } finally {
    await drop(raw);
  }
}
