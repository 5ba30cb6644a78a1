/** Every write to inboxes and claims. The plain functions also run inside other operations' transactions. */

import { formatMonth } from '../../platform/core/clock.ts';
import { fail, failField } from '../../platform/core/failure.ts';
import { newId, randomLocalPart } from '../../platform/core/id.ts';
import type { OnceRequest } from '../../platform/http/route.ts';
import { withIdempotency } from '../../platform/http/writes.ts';
import {
  type AnyWriteOp,
  jobOp,
  onFullDisk,
  type TallyKind,
  type Tx,
  writeOp,
} from '../../platform/store/operation.ts';
import { reservedLocalParts } from '../../rules/reserved.ts';
import { findAccountByNo } from '../accounts/sql.ts';
import {
  countInboxes,
  findInboxByAddress,
  findInboxById,
  findInboxDomain,
  findOwnInbox,
  findOwnInboxByAddress,
  holdsOutbound,
  type Inbox,
} from './sql.ts';

/** How many random local parts to try. Each has 50 random bits, so the first is nearly always free. */
const TRIES = 8;

export interface NewInbox {
  account_no: number;
  /** How many live inboxes the plan allows. */
  cap: number;
  domain: string;
  /** The number of the custom domain; absent on the shared domain. */
  domain_no?: number;
  /** Whether it is in the account's trap. Then its address is not claimed. */
  is_trap?: boolean;
  /** Lower case; null for a random one. */
  routing_key: string | null;
  label: string;
  is_public: boolean;
  /** A JSON object as text. */
  metadata: string;
}

/**
 * Creates an inbox and claims its address. Throws plan_limit_reached, slug_taken or conflict. On a custom domain all
 * addresses belong to its owner: nothing is claimed or reserved, and claims of a previous owner do not matter.
 */
export function createInbox(tx: Tx, input: NewInbox): Inbox {
  // The key was valid when the request came; the account may have been deleted since.
  if (!findAccountByNo(tx, input.account_no)) fail('authentication_required');
  if (countInboxes(tx, input.account_no) >= input.cap) fail('plan_limit_reached');
  if (input.routing_key === null) return insertInbox(tx, input, findFreeLocalPart(tx, input.domain));
  const address = `${input.routing_key}@${input.domain}`;
  if (input.domain_no === undefined) {
    if (reservedLocalParts.includes(input.routing_key)) failField('routing_key', 'is reserved');
    const claim = findClaim(tx, address);
    if (claim && claim.account_no !== input.account_no) fail('slug_taken');
  }
  if (findOwnInboxByAddress(tx, input.account_no, address)) fail('conflict');
  if (findInboxByAddress(tx, address)) fail('slug_taken');
  return insertInbox(tx, input, input.routing_key);
}

function findFreeLocalPart(tx: Tx, domain: string): string {
  for (let tries = 0; tries < TRIES; tries++) {
    const localPart = randomLocalPart();
    const address = `${localPart}@${domain}`;
    const taken =
      reservedLocalParts.includes(localPart) || findClaim(tx, address) || findInboxByAddress(tx, address);
    if (!taken) return localPart;
  }
  return fail('conflict', { text: 'No free address was found. Try again.' });
}

/** The claim in force on an address. The claim of a deleted account ends when its block does. */
function findClaim(tx: Tx, address: string): { account_no: number | null } | null {
  const row = tx
    .sql('SELECT account_no FROM claim WHERE address = ? AND (blocked_until IS NULL OR blocked_until > ?)')
    .get(address, tx.nowUs);
  return (row as { account_no: number | null } | undefined) ?? null;
}

/** Whether an address is neither in use nor claimed. */
export function isFreeAddress(tx: Tx, address: string): boolean {
  return !findClaim(tx, address) && !findInboxByAddress(tx, address);
}

/** Inserts the rows only; the caller has checked that the address is free. */
export function insertInbox(tx: Tx, input: Omit<NewInbox, 'cap'>, localPart: string): Inbox {
  const address = `${localPart}@${input.domain}`;
  const id = newId('inbox');
  if (input.domain_no === undefined && !input.is_trap) {
    tx.sql('INSERT OR REPLACE INTO claim (address, account_no, blocked_until) VALUES (?, ?, NULL)').run(
      address,
      input.account_no,
    );
  }
  tx.sql(
    `INSERT INTO inbox (id, account_no, address, routing_key, label, is_public, is_enabled, metadata,
       month, month_count, created_at, updated_at, domain_no, is_trap)
     VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?, 0, ?, ?, ?, ?)`,
  ).run(
    id,
    input.account_no,
    address,
    localPart,
    input.label,
    Number(input.is_public),
    input.metadata,
    formatMonth(tx.nowUs),
    tx.nowUs,
    tx.nowUs,
    input.domain_no ?? null,
    Number(input.is_trap ?? false),
  );
  return findInboxById(tx, id)!;
}

/** Keyed by inbox and month, in order of arrival: a new month starts at 0. */
const messagesOfMonth: TallyKind<Map<string, { inboxNo: number; month: string; messages: number }>> = {
  make: () => new Map(),
  write(tx, tally) {
    const count = tx.sql(
      `UPDATE inbox
       SET month_count = CASE month WHEN ? THEN month_count + ? ELSE ? END, month = ?
       WHERE no = ?`,
    );
    for (const { inboxNo, month, messages } of tally.values())
      count.run(month, messages, messages, month, inboxNo);
  },
};

/** Counts a message that arrived in its calendar month. */
export function countMessage(tx: Tx, inboxNo: number, receivedAt: number): void {
  const tally = tx.tallies.of(messagesOfMonth);
  const month = formatMonth(receivedAt);
  const name = `${inboxNo} ${month}`;
  const known = tally.get(name);
  if (known) known.messages += 1;
  else tally.set(name, { inboxNo, month, messages: 1 });
}

/** A request for an inbox on the shared domain, or on a domain of the caller, by the domain's public id. */
export interface InboxRequest extends Omit<NewInbox, 'domain_no'> {
  domain_id: string | null;
}

export const createInboxOp = writeOp(
  'inboxes.create',
  (tx, { input, once }: { input: InboxRequest; once: OnceRequest | null }): Inbox =>
    withIdempotency(tx, once, () => {
      if (input.domain_id === null) return createInbox(tx, input);
      const domain =
        findInboxDomain(tx, input.account_no, input.domain_id) ?? fail('domain_not_found_or_unverified');
      return createInbox(tx, { ...input, domain: domain.name, domain_no: domain.no });
    }),
);

/** The new values of an inbox; undefined leaves a field unchanged. */
interface InboxChanges {
  label: string | undefined;
  /** A JSON object as text. */
  metadata: string | undefined;
  is_public: boolean | undefined;
  is_enabled: boolean | undefined;
}

export interface UpdateInbox {
  account_no: number;
  id: string;
  changes: InboxChanges;
  sharedDomain: string;
  /** As for DeleteInbox. */
  hasCatchAll: boolean;
}

/** Changes nothing, not even `updated_at`, when the inbox already has all of these values. */
export const updateInboxOp = writeOp('inboxes.update', (tx, update: UpdateInbox): Inbox => {
  const inbox = findOwnInbox(tx, update.account_no, update.id) ?? fail('not_found');
  const { label, metadata, is_public, is_enabled } = update.changes;
  if (is_public && (inbox.is_trap || !inbox.address.endsWith(`@${update.sharedDomain}`)))
    fail('public_not_allowed_on_custom_domain');
  if (is_enabled === false && inbox.is_catch_all && update.hasCatchAll) fail('catch_all_target');
  const wanted = {
    label: label ?? inbox.label,
    metadata: metadata ?? inbox.metadata,
    is_public: Number(is_public ?? inbox.is_public),
    is_enabled: Number(is_enabled ?? inbox.is_enabled),
  };
  const names = ['label', 'metadata', 'is_public', 'is_enabled'] as const;
  if (names.every((name) => wanted[name] === inbox[name])) return inbox;
  tx.sql(
    'UPDATE inbox SET label = ?, metadata = ?, is_public = ?, is_enabled = ?, updated_at = ? WHERE no = ?',
  ).run(wanted.label, wanted.metadata, wanted.is_public, wanted.is_enabled, tx.nowUs, inbox.no);
  return findInboxById(tx, inbox.id)!;
});

/** Sets whether members' emails from an inbox's address wait for an owner's approval. Returns whether that changed. */
export function holdOutbound(tx: Tx, inboxNo: number, on: boolean): boolean {
  const { changes } = tx
    .sql('UPDATE inbox SET holds_outbound = ?, updated_at = ? WHERE no = ? AND holds_outbound <> ?')
    .run(Number(on), tx.nowUs, inboxNo, Number(on));
  return changes === 1;
}

export interface DeleteInbox {
  account_no: number;
  id: string;
  /** Whether the plan has catch-alls. Without them none is active, and no target is protected. */
  hasCatchAll: boolean;
  isOwner: boolean;
}

const OWNERS_DELETE =
  'The emails of members from this inbox wait for an owner, so only an owner, or a key that an owner created, may delete it.';

/** Disables and hides an inbox at once. The claim on its address stays; a job erases the rest. */
export const deleteInboxOp = writeOp(
  'inboxes.delete',
  (tx, { account_no, id, hasCatchAll, isOwner }: DeleteInbox): { inbox_no: number } => {
    const inbox = findOwnInbox(tx, account_no, id) ?? fail('not_found');
    // Otherwise a member could delete the inbox and create it again, without the hold.
    if (!isOwner && holdsOutbound(tx, inbox.no)) fail('account_forbidden', { text: OWNERS_DELETE });
    if (inbox.is_catch_all && hasCatchAll) fail('catch_all_target');
    tx.sql('UPDATE inbox SET is_enabled = 0, deleted_at = ?, updated_at = ? WHERE no = ?').run(
      tx.nowUs,
      tx.nowUs,
      inbox.no,
    );
    return { inbox_no: inbox.no };
  },
);

/** The deleted inbox that has waited longest to be erased. */
export function findOldestDeleted(tx: Tx): number | null {
  const row = tx.sql('SELECT no FROM inbox WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT 1').get() as
    | { no: number }
    | undefined;
  return row?.no ?? null;
}

/**
 * Deletes the row of a deleted inbox that has no messages left. Its webhook's deliveries go first, at most `max` at a
 * time, because a cascade of very many would hold up all mail. Returns how many rows it deleted.
 */
export function eraseInbox(tx: Tx, inboxNo: number, max: number): number {
  const deliveries = tx
    .sql(
      `DELETE FROM delivery WHERE no IN
         (SELECT d.no FROM webhook w JOIN delivery d ON d.webhook_no = w.no WHERE w.inbox_no = ? LIMIT ?)`,
    )
    .run(inboxNo, max).changes;
  if (deliveries === max) return deliveries;
  tx.sql('DELETE FROM inbox WHERE no = ? AND deleted_at IS NOT NULL').run(inboxNo);
  return deliveries + 1;
}

/** Removes an empty inbox that was created for a test, with the claim on its address. */
export function dropInbox(tx: Tx, { no, address }: { no: number; address: string }): void {
  tx.sql('DELETE FROM inbox WHERE no = ?').run(no);
  tx.sql('DELETE FROM claim WHERE address = ?').run(address);
}

/** Frees the addresses of deleted accounts whose block has ended. Returns how many. */
export const freeClaimsOp = jobOp('inboxes.free_claims', (tx, { max }: { max: number }): number => {
  return tx
    .sql(
      `DELETE FROM claim WHERE address IN
         (SELECT address FROM claim WHERE blocked_until IS NOT NULL AND blocked_until <= ? LIMIT ?)`,
    )
    .run(tx.nowUs, max).changes;
});

/** For src/app/writes.ts. */
export const inboxWrites: readonly AnyWriteOp[] = [
  createInboxOp,
  updateInboxOp,
  onFullDisk(deleteInboxOp),
  freeClaimsOp,
];
