import type { ParsedSummary } from '../../platform/mail/parsed.ts';
import {
  compressStored,
  type EncodedContent,
  packContent,
  packMail,
} from '../../platform/mail/stored-mail.ts';
import { type AnyWriteOp, mailOp, onFullDisk, type Tx, writeOp } from '../../platform/store/operation.ts';
import type { WithheldReason } from '../../rules/senders.ts';
import type { Trap } from '../accounts/trap.ts';
import { meterMessage } from '../accounts/usage/writes.ts';
import { createTrapInbox, type TrapInbox } from '../domains/trap-inbox.ts';
import { recordEvent, takeTime } from '../events/writes.ts';
import { judgeSenders, listCandidates } from '../inboxes/senders/judge.ts';
import { findListed, readMode } from '../inboxes/senders/sql.ts';
import { countMessage } from '../inboxes/writes.ts';
import { insertWithRules } from '../mail-rules/writes.ts';
import { joinThread } from '../messages/threads/writes.ts';
import { insertWithheld } from '../messages/withheld/writes.ts';
import { insertMessage } from '../messages/writes.ts';
import { findTargetByAddress, findTargetInTrap, type InboxTarget } from './sql.ts';

/** How the mail arrived, for our Return-Path and Received lines. */
export interface Transmission {
  envelope_from: string;
  helo: string;
  client_address: string;
  /** The `with` of a Received line: SMTP, ESMTP, ESMTPS, ESMTPA, UTF8SMTP, … (RFC 3848, 6531). */
  protocol: string;
  /** The user name of SMTP AUTH; null without it. */
  smtp_user: string | null;
}

export interface StoreMail extends Transmission, EncodedContent {
  size: number;
  /** The bytes as received; null if they are already in raw_chunk under raw_no. */
  bytes: Uint8Array | null;
  raw_no: number | null;
  summary: ParsedSummary;
  recipients: { envelope_recipient: string; address: string; message_id: string }[];
  /** Whether SPF, DKIM and DMARC are checked afterwards. */
  isChecked: boolean;
  /** Whether the owner imports it: then neither sender lists nor rules apply. */
  isImported: boolean;
  /** The trap in which missing inboxes are created; null outside traps. */
  trap: Trap | null;
  /** Whether an event is recorded. */
  isEvent: boolean;
}

export interface Stored {
  inbox_no: number;
  account_no: number;
  inbox_id: string;
  message_id: string;
  received_at: number;
  envelope_recipient: string;
  /** Whether a webhook has to be notified. */
  hasDelivery: boolean;
  /** Whether sender lists withhold it. Then it is not announced. */
  isWithheld: boolean;
}

/**
 * Stores a mail for all its recipients. Returns the stored messages. Skips inboxes that are gone since RCPT, and stores
 * nothing if none is left.
 */
export const storeMail = mailOp('ingest.store', (tx, mail: StoreMail): Stored[] => {
  const targets = mail.recipients.flatMap((recipient) => {
    const inbox = findTarget(tx, recipient.address, mail.trap);
    return inbox?.is_enabled ? [{ recipient, inbox }] : [];
  });
  if (targets.length === 0) {
    if (mail.raw_no !== null) tx.sql('DELETE FROM raw WHERE no = ?').run(mail.raw_no);
    return [];
  }
  const rawNo =
    mail.raw_no === null ? insertRaw(tx, mail, targets.length) : completeRaw(tx, mail, targets.length);
  if (mail.isChecked) tx.sql('INSERT INTO authentication (raw_no, verdicts) VALUES (?, NULL)').run(rawNo);
  const members = targets.map(({ recipient, inbox }) => ({
    recipient,
    inbox,
    at: takeTime(tx),
    reason: judgeMail(tx, mail, inbox),
  }));
  const accepted = members.filter(({ reason }) => reason === null);
  const threads = findThreads(tx, accepted, mail.summary);
  return members.map((member) =>
    member.reason === null
      ? storeFor(tx, mail, rawNo, threads[accepted.indexOf(member)] ?? null, member)
      : withholdFrom(tx, mail, rawNo, member.reason, member),
  );
});

/** One recipient of a mail. */
interface Member {
  recipient: StoreMail['recipients'][number];
  inbox: InboxTarget;
  at: number;
}

/** Why an inbox's sender lists withhold the mail; null if they do not. Most inboxes have no lists. */
function judgeMail(
  tx: Tx,
  { isImported, isChecked, summary }: StoreMail,
  inbox: InboxTarget,
): WithheldReason | null {
  if (inbox.senders === 0 || isImported) return null;
  const senders = summary.senders ?? [];
  const listed = findListed(tx, inbox.no, listCandidates(senders));
  return judgeSenders(senders, readMode(inbox.senders), listed, isChecked ? 'pending' : 'never');
}

function withholdFrom(
  tx: Tx,
  mail: StoreMail,
  rawNo: number,
  reason: WithheldReason,
  { recipient, inbox, at }: Member,
): Stored {
  const { account_no, metadata } = inbox;
  insertWithheld(tx, {
    at,
    id: recipient.message_id,
    inbox_no: inbox.no,
    account_no,
    raw_no: rawNo,
    reason,
    envelope_recipient: recipient.envelope_recipient,
    size: mail.size,
    metadata,
    summary: JSON.stringify(mail.summary),
  });
  return { ...countArrival(tx, { recipient, inbox, at }), hasDelivery: false, isWithheld: true };
}

function storeFor(
  tx: Tx,
  mail: StoreMail,
  rawNo: number,
  threadNo: number | null,
  { recipient, inbox, at }: Member,
): Stored {
  const message = {
    received_at: at,
    id: recipient.message_id,
    inbox_no: inbox.no,
    account_no: inbox.account_no,
    raw_no: rawNo,
    thread_no: threadNo,
    envelope_recipient: recipient.envelope_recipient,
    size: mail.size,
    metadata: inbox.metadata,
    summary: mail.summary,
  };
  if (inbox.has_rules && !mail.isImported) insertWithRules(tx, inbox.id, message);
  else insertMessage(tx, { ...message, read_at: null });
  const counted = countArrival(tx, { recipient, inbox, at });
  const hasDelivery =
    mail.isEvent &&
    recordEvent(tx, {
      kind: 'email.received',
      account_no: inbox.account_no,
      inbox_no: inbox.no,
      subject_id: recipient.message_id,
      at,
    });
  return { ...counted, hasDelivery, isWithheld: false };
}

function countArrival(tx: Tx, { recipient, inbox, at }: Member): Omit<Stored, 'hasDelivery' | 'isWithheld'> {
  countMessage(tx, inbox.no, at);
  meterMessage(tx, inbox.account_no, at);
  return {
    inbox_no: inbox.no,
    account_no: inbox.account_no,
    inbox_id: inbox.id,
    message_id: recipient.message_id,
    received_at: at,
    envelope_recipient: recipient.envelope_recipient,
  };
}

/** Returns the thread of a mail for each recipient; null where the message is alone in its account. */
function findThreads(tx: Tx, members: readonly Member[], { ref, refs }: ParsedSummary): (number | null)[] {
  const threads = new Map<number, number | null>();
  return members.map(({ recipient, inbox: { account_no }, at }) => {
    if (!threads.has(account_no)) {
      const ofAccount = members.filter((member) => member.inbox.account_no === account_no);
      const lastAt = ofAccount.at(-1)!.at;
      const member = { account_no, at, lastAt, count: ofAccount.length, id: recipient.message_id, ref, refs };
      threads.set(account_no, joinThread(tx, member));
    }
    return threads.get(account_no) ?? null;
  });
}

/** Creates an inbox in a trap that a request names before the first mail to it. */
export const createTrapInboxOp = writeOp(
  'ingest.create_trap_inbox',
  (tx, { address, trap }: TrapInbox): void => {
    findTarget(tx, address, trap);
  },
);

/** Begins a mail whose bytes follow in pieces. No message refers to it until storeMail. */
export const beginRaw = mailOp('ingest.begin_raw', (tx, transmission: Transmission): number =>
  Number(
    tx
      .sql(
        `INSERT INTO raw (refs, size, envelope_from, helo, client_address, protocol, content, bytes, smtp_user)
         VALUES (0, 0, ?, ?, ?, ?, x'', NULL, ?)`,
      )
      .run(
        transmission.envelope_from,
        transmission.helo,
        transmission.client_address,
        transmission.protocol,
        transmission.smtp_user,
      ).lastInsertRowid,
  ),
);

export const appendRaw = mailOp(
  'ingest.append_raw',
  (tx, piece: { raw_no: number; part: number; bytes: Uint8Array }): void => {
    tx.sql('INSERT INTO raw_chunk (raw_no, part, bytes) VALUES (?, ?, ?)').run(
      piece.raw_no,
      piece.part,
      compressStored(piece.bytes),
    );
  },
);

/** Drops a mail that was begun but will not be stored. */
export const dropRaw = writeOp('ingest.drop_raw', (tx, rawNo: number): void => {
  tx.sql('DELETE FROM raw WHERE no = ? AND refs = 0').run(rawNo);
});

/** A test checks its query plan, because it runs at each start. */
export const DROP_UNFINISHED = 'DELETE FROM raw WHERE refs = 0';

/** Drops mails that a crash left unfinished; none of them was acknowledged. Runs at each start. */
export const dropUnfinished = writeOp('ingest.drop_unfinished', (tx, _: null): number =>
  Number(tx.sql(DROP_UNFINISHED).run().changes),
);

/** Finds the inbox of an address. In a trap, creates it if it is missing, or throws plan_limit_reached. */
function findTarget(tx: Tx, address: string, trap: Trap | null): InboxTarget | undefined {
  const inbox = tx.cached(
    `target ${trap?.account_no} ${trap?.isApart} ${address}`,
    () => (trap ? findTargetInTrap(tx, trap, address) : findTargetByAddress(tx, address)),
    (found) => found !== undefined,
  );
  if (inbox || trap === null) return inbox;
  createTrapInbox(tx, { trap, address });
  return findTargetInTrap(tx, trap, address);
}

function insertRaw(tx: Tx, mail: StoreMail, refs: number): number {
  const packed = packMail(mail, mail.bytes ?? new Uint8Array());
  const inserted = tx
    .sql(
      `INSERT INTO raw (refs, size, envelope_from, helo, client_address, protocol, content, bytes, smtp_user,
         content_size)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      refs,
      mail.size,
      mail.envelope_from,
      mail.helo,
      mail.client_address,
      mail.protocol,
      packed.content,
      packed.bytes,
      mail.smtp_user,
      packed.content_size,
    );
  return Number(inserted.lastInsertRowid);
}

function completeRaw(tx: Tx, mail: StoreMail, refs: number): number {
  tx.sql('UPDATE raw SET refs = ?, size = ?, content = ? WHERE no = ?').run(
    refs,
    mail.size,
    packContent(mail),
    mail.raw_no,
  );
  return mail.raw_no!;
}

export const ingestWrites: readonly AnyWriteOp[] = [
  storeMail,
  createTrapInboxOp,
  beginRaw,
  appendRaw,
  onFullDisk(dropRaw),
  onFullDisk(dropUnfinished),
];
