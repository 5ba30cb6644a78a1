import type { ParsedSummary } from '../../platform/mail/parsed.ts';
import { type AnyWriteOp, type Tx, writeOp } from '../../platform/store/operation.ts';
import { meterMessage } from '../accounts/usage/writes.ts';
import { domainByName } from '../domains/sql.ts';
import { countMessage, insertInbox } from '../inboxes/writes.ts';
import { insertMessage, nextReceivedAt } from '../messages/writes.ts';
import { queueDelivery } from '../webhooks/writes.ts';
import { type InboxTarget, targetByAddress } from './sql.ts';

/** zstd's quickest level: mail of 5 KB in 50 µs to a third (traps part 1, section 4). */
const ZSTD_LEVEL = 1;

/** What is known of how the mail came; for our Return-Path and Received lines. */
export interface Transmission {
  envelope_from: string;
  helo: string;
  client_address: string;
  /** The `with` of a Received line: SMTP, ESMTP, ESMTPS, ESMTPA, UTF8SMTP, … (RFC 3848, 6531). */
  protocol: string;
}

export interface StoreMail extends Transmission {
  size: number;
  /** The bytes as received; null when they were put into raw_chunk before, under raw_no. */
  bytes: Uint8Array | null;
  raw_no: number | null;
  summary: ParsedSummary;
  /** zstd of JSON (ParsedContent). */
  content: Uint8Array;
  recipients: { envelope_recipient: string; address: string; message_id: string }[];
  /** Whether SPF, DKIM and DMARC are to be checked afterwards. */
  isChecked: boolean;
  /** Capture mode: make missing inboxes for this account. */
  captureAccountNo: number | null;
  /** Names of the plans that have webhooks. */
  webhookPlans: readonly string[];
}

export interface Stored {
  inbox_no: number;
  account_no: number;
  inbox_id: string;
  message_id: string;
  received_at: number;
  envelope_recipient: string;
  /** A webhook is to be told. */
  hasDelivery: boolean;
}

/**
 * One mail for all its recipients. Gives those that were stored; an inbox that went away since RCPT is left
 * out, and with none left nothing is stored.
 */
export const storeMail = writeOp('ingest.store', (tx, mail: StoreMail): Stored[] => {
  const targets = mail.recipients.flatMap((recipient) => {
    const inbox = targetOf(tx, recipient.address, mail.captureAccountNo);
    return inbox?.is_enabled ? [{ recipient, inbox }] : [];
  });
  if (targets.length === 0) {
    if (mail.raw_no !== null) tx.sql('DELETE FROM raw WHERE no = ?').run(mail.raw_no);
    return [];
  }
  const rawNo =
    mail.raw_no === null ? insertRaw(tx, mail, targets.length) : completeRaw(tx, mail, targets.length);
  if (mail.isChecked) tx.sql('INSERT INTO authentication (raw_no, verdicts) VALUES (?, NULL)').run(rawNo);
  return targets.map(({ recipient, inbox }) => {
    const receivedAt = nextReceivedAt(tx);
    insertMessage(tx, {
      received_at: receivedAt,
      id: recipient.message_id,
      inbox_no: inbox.no,
      account_no: inbox.account_no,
      raw_no: rawNo,
      envelope_recipient: recipient.envelope_recipient,
      size: mail.size,
      metadata: inbox.metadata,
      summary: mail.summary,
    });
    countMessage(tx, inbox.no, receivedAt);
    meterMessage(tx, inbox.account_no, receivedAt);
    return {
      hasDelivery: queueDelivery(tx, inbox, recipient.message_id, mail.webhookPlans),
      inbox_no: inbox.no,
      account_no: inbox.account_no,
      inbox_id: inbox.id,
      message_id: recipient.message_id,
      received_at: receivedAt,
      envelope_recipient: recipient.envelope_recipient,
    };
  });
});

/** Begins a mail whose bytes come in pieces; it belongs to nobody until it is stored. */
export const beginRaw = writeOp('ingest.begin_raw', (tx, transmission: Transmission): number =>
  Number(
    tx
      .sql(
        `INSERT INTO raw (refs, size, envelope_from, helo, client_address, protocol, content, bytes)
         VALUES (0, 0, ?, ?, ?, ?, x'', NULL)`,
      )
      .run(transmission.envelope_from, transmission.helo, transmission.client_address, transmission.protocol)
      .lastInsertRowid,
  ),
);

export const appendRaw = writeOp(
  'ingest.append_raw',
  (tx, piece: { raw_no: number; part: number; bytes: Uint8Array }): void => {
    tx.sql('INSERT INTO raw_chunk (raw_no, part, bytes) VALUES (?, ?, ?)').run(
      piece.raw_no,
      piece.part,
      compress(piece.bytes),
    );
  },
);

/** Drops what was begun and will not be stored. */
export const dropRaw = writeOp('ingest.drop_raw', (tx, rawNo: number): void => {
  tx.sql('DELETE FROM raw WHERE no = ? AND refs = 0').run(rawNo);
});

/** Its plan has a test: it runs at each start. */
export const DROP_UNFINISHED = 'DELETE FROM raw WHERE refs = 0';

/** At start: what a crash left begun. Nothing of it was acknowledged. */
export const dropUnfinished = writeOp('ingest.drop_unfinished', (tx, _: null): number =>
  Number(tx.sql(DROP_UNFINISHED).run().changes),
);

/** The verdicts on a mail's sender, as JSON (platform/mail/authentication.ts); a mail that is gone has none. */
export const recordAuthenticationOp = writeOp(
  'ingest.record_authentication',
  (tx, { raw_no, verdicts }: { raw_no: number; verdicts: string }): void => {
    tx.sql('UPDATE authentication SET verdicts = ? WHERE raw_no = ?').run(verdicts, raw_no);
  },
);

function targetOf(tx: Tx, address: string, captureAccountNo: number | null): InboxTarget | undefined {
  const inbox = targetByAddress(tx, address);
  if (inbox || captureAccountNo === null) return inbox;
  const at = address.lastIndexOf('@');
  const name = address.slice(at + 1);
  const domain = domainByName(tx, name);
  const isOwn = domain?.account_no === captureAccountNo && domain.status === 'verified';
  insertInbox(
    tx,
    {
      account_no: captureAccountNo,
      domain: name,
      ...(isOwn ? { domain_no: domain.no } : {}),
      routing_key: null,
      label: '',
      is_public: false,
      metadata: '{}',
    },
    address.slice(0, at),
  );
  return targetByAddress(tx, address);
}

function insertRaw(tx: Tx, mail: StoreMail, refs: number): number {
  const inserted = tx
    .sql(
      `INSERT INTO raw (refs, size, envelope_from, helo, client_address, protocol, content, bytes)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      refs,
      mail.size,
      mail.envelope_from,
      mail.helo,
      mail.client_address,
      mail.protocol,
      mail.content,
      compress(mail.bytes ?? new Uint8Array()),
    );
  return Number(inserted.lastInsertRowid);
}

function completeRaw(tx: Tx, mail: StoreMail, refs: number): number {
  tx.sql('UPDATE raw SET refs = ?, size = ?, content = ? WHERE no = ?').run(
    refs,
    mail.size,
    mail.content,
    mail.raw_no,
  );
  return mail.raw_no!;
}

function compress(bytes: Uint8Array): Uint8Array {
  return Bun.zstdCompressSync(bytes, { level: ZSTD_LEVEL });
}

export const ingestWrites: readonly AnyWriteOp[] = [
  storeMail,
  beginRaw,
  appendRaw,
  dropRaw,
  dropUnfinished,
  recordAuthenticationOp,
];
