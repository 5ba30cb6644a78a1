import { readSubAddress, toInboxForm } from '../../platform/mail/address.ts';
import type { Reading } from '../../platform/store/operation.ts';

/** The row of a live inbox. */
export interface Inbox {
  no: number;
  id: string;
  account_no: number;
  /** Lower case, `local@domain`. */
  address: string;
  routing_key: string;
  label: string;
  is_public: number;
  is_enabled: number;
  /** A JSON object as text. */
  metadata: string;
  /** The month (`2026-11`) that `month_count` counts. */
  month: string;
  month_count: number;
  created_at: number;
  updated_at: number;
  /** The custom domain's id; null on the shared domain. */
  domain_id: string | null;
  /** Whether it is in its account's trap. Then other accounts may have the same address. */
  is_trap: number;
  /** Whether it is the target of its domain's catch-all, and that is on. */
  is_catch_all: number;
}

export const INBOX = `no, id, account_no, address, routing_key, label, is_public, is_enabled, metadata,
  month, month_count, created_at, updated_at, is_trap,
  (SELECT d.id FROM domain d WHERE d.no = inbox.domain_no) AS domain_id,
  EXISTS (SELECT 1 FROM domain d WHERE d.catch_all_inbox_no = inbox.no AND d.catch_all = 1) AS is_catch_all`;

/**
 * A live inbox of this account by its public id or, added to v1, by its address: a client that waits for mail to
 * `you@example.com` can use that as the id. No id contains an @.
 */
export function findOwnInbox(reading: Reading, accountNo: number, id: string): Inbox | null {
  if (id.includes('@')) {
    return findOwnInboxByAddress(reading, accountNo, toInboxForm(id));
  }
  const row = reading
    .sql(`SELECT ${INBOX} FROM inbox WHERE id = ? AND account_no = ? AND deleted_at IS NULL`)
    .get(id, accountNo);
  return (row as Inbox | undefined) ?? null;
}

/** A live inbox of this account by its address: one of the server's own addresses, or one in the account's trap. */
export function findOwnInboxByAddress(reading: Reading, accountNo: number, address: string): Inbox | null {
  const inbox = findInboxByAddress(reading, address);
  if (inbox?.account_no === accountNo) return inbox;
  const row = reading
    .sql(
      `SELECT ${INBOX} FROM inbox WHERE account_no = ? AND address = ? AND deleted_at IS NULL AND is_trap = 1`,
    )
    .get(accountNo, address);
  return (row as Inbox | undefined) ?? null;
}

/** An inbox that a path names for reading. */
export interface SeenInbox extends Inbox {
  /** Limits the view to messages to this local part, which has a +tag; null for all messages. */
  recipient: string | null;
}

/**
 * Like findOwnInbox, but `local+tag@domain` names the inbox of `local@domain`, limited to messages to that address
 * (docs/decisions.md, Sub-addresses). Only for reading: whatever changes an inbox uses findOwnInbox.
 */
export function findSeenInbox(reading: Reading, accountNo: number, id: string): SeenInbox | null {
  const inbox = findOwnInbox(reading, accountNo, id);
  if (inbox) return { ...inbox, recipient: null };
  const sub = readSubAddress(id);
  const behind = sub && findOwnInbox(reading, accountNo, sub.inbox);
  return behind && { ...behind, recipient: sub.local };
}

/** A live inbox by its address, of any account. Not those in traps, which may share an address. */
export function findInboxByAddress(reading: Reading, address: string): Inbox | null {
  const row = reading
    .sql(`SELECT ${INBOX} FROM inbox WHERE address = ? AND deleted_at IS NULL AND is_trap = 0`)
    .get(address);
  return (row as Inbox | undefined) ?? null;
}

/** A live inbox by its public id, of any account. */
export function findInboxById(reading: Reading, id: string): Inbox | null {
  const row = reading.sql(`SELECT ${INBOX} FROM inbox WHERE id = ? AND deleted_at IS NULL`).get(id);
  return (row as Inbox | undefined) ?? null;
}

/** The public id of an inbox; null if it has been erased. */
export function findInboxIdByNo(reading: Reading, no: number): string | null {
  const row = reading.sql('SELECT id FROM inbox WHERE no = ?').get(no) as { id: string } | undefined;
  return row?.id ?? null;
}

/** Whether an inbox has a webhook, enabled or not. */
export function hasWebhook(reading: Reading, inboxNo: number): boolean {
  return (
    reading.sql('SELECT 1 FROM webhook WHERE inbox_no = ? AND removed_at IS NULL').get(inboxNo) !== undefined
  );
}

/** The live inboxes of an account before a row number, newest first. */
export function listInboxes(reading: Reading, accountNo: number, before: number, rows: number): Inbox[] {
  return reading
    .sql(
      `SELECT ${INBOX}
       FROM inbox INDEXED BY inbox_account
       WHERE account_no = ? AND deleted_at IS NULL AND no < ?
       ORDER BY no DESC
       LIMIT ?`,
    )
    .all(accountNo, before, rows) as Inbox[];
}

/** The number of live inboxes that count against the cap. */
export function countInboxes(reading: Reading, accountNo: number): number {
  const row = reading
    .sql(
      `SELECT count(*) AS inboxes
       FROM inbox INDEXED BY inbox_account
       WHERE account_no = ? AND deleted_at IS NULL`,
    )
    .get(accountNo) as { inboxes: number };
  return row.inboxes;
}

/** A verified domain of this account, which may have inboxes. */
export function findInboxDomain(
  reading: Reading,
  accountNo: number,
  domainId: string,
): { no: number; name: string } | null {
  const row = reading
    .sql(`SELECT no, name FROM domain WHERE id = ? AND account_no = ? AND status = 'verified'`)
    .get(domainId, accountNo);
  return (row as { no: number; name: string } | undefined) ?? null;
}

/** Whether members' emails from an inbox's address wait for an owner's approval. */
export function holdsOutbound(reading: Reading, inboxNo: number): boolean {
  const row = reading.sql('SELECT holds_outbound FROM inbox WHERE no = ?').get(inboxNo);
  return (row as { holds_outbound: number } | undefined)?.holds_outbound === 1;
}
