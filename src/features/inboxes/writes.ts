/** Every write to inboxes and claims. The plain functions run inside other operations' transactions too. */

import { monthOf } from '../../platform/core/clock.ts';
import { fail, failField } from '../../platform/core/failure.ts';
import { newId, randomLocalPart } from '../../platform/core/id.ts';
import type { OnceWish } from '../../platform/http/route.ts';
import { withIdempotency } from '../../platform/http/writes.ts';
import { type AnyWriteOp, jobOp, type Tx, writeOp } from '../../platform/store/operation.ts';
import { reservedLocalParts } from '../../rules/reserved.ts';
import { accountByNo } from '../accounts/sql.ts';
import { countInboxes, type Inbox, inboxByAddress, inboxById, inboxDomain, ownInbox } from './sql.ts';

/** Random local parts tried before giving up; each has 50 random bits, so one is nearly always enough. */
const TRIES = 8;

export interface NewInbox {
  account_no: number;
  /** Live inboxes that the plan allows. */
  cap: number;
  domain: string;
  /** The custom domain; none: the shared one. */
  domain_no?: number;
  /** Lower case; null: a random one. */
  routing_key: string | null;
  label: string;
  is_public: boolean;
  /** A JSON object as text. */
  metadata: string;
}

/**
 * Makes an inbox and claims its address. Throws plan_limit_reached, slug_taken, conflict. On a custom domain all
 * addresses are its owner's: nothing is claimed, nothing reserved, and what an owner before had claimed is in
 * nobody's way.
 */
export function createInbox(tx: Tx, wish: NewInbox, random: () => string = randomLocalPart): Inbox {
  // Its key was good when the request came; the account may have been deleted since.
  if (!accountByNo(tx, wish.account_no)) fail('authentication_required');
  if (countInboxes(tx, wish.account_no) >= wish.cap) fail('plan_limit_reached');
  if (wish.routing_key === null) return insertInbox(tx, wish, freeLocalPart(tx, wish.domain, random));
  const address = `${wish.routing_key}@${wish.domain}`;
  if (wish.domain_no === undefined) {
    if (reservedLocalParts.includes(wish.routing_key)) failField('routing_key', 'is reserved');
    const claim = claimOf(tx, address);
    if (claim && claim.account_no !== wish.account_no) fail('slug_taken');
  }
  const live = inboxByAddress(tx, address);
  if (live) fail(live.account_no === wish.account_no ? 'conflict' : 'slug_taken');
  return insertInbox(tx, wish, wish.routing_key);
}

function freeLocalPart(tx: Tx, domain: string, random: () => string): string {
  for (let tries = 0; tries < TRIES; tries++) {
    const localPart = random();
    const address = `${localPart}@${domain}`;
    const taken =
      reservedLocalParts.includes(localPart) || claimOf(tx, address) || inboxByAddress(tx, address);
    if (!taken) return localPart;
  }
  return fail('conflict', { text: 'No free address was found; try again.' });
}

/** The claim in force; one of a removed account whose block is over is none. */
function claimOf(tx: Tx, address: string): { account_no: number | null } | null {
  const row = tx
    .sql('SELECT account_no FROM claim WHERE address = ? AND (blocked_until IS NULL OR blocked_until > ?)')
    .get(address, tx.nowUs);
  return (row as { account_no: number | null } | undefined) ?? null;
}

/** Whether nobody has this address, nor has claimed it. */
export function isFreeAddress(tx: Tx, address: string): boolean {
  return !claimOf(tx, address) && !inboxByAddress(tx, address);
}

/** The rows alone; whoever calls has asked whether the address is free. */
export function insertInbox(tx: Tx, wish: Omit<NewInbox, 'cap'>, localPart: string): Inbox {
  const address = `${localPart}@${wish.domain}`;
  const id = newId('inbox');
  if (wish.domain_no === undefined) {
    tx.sql('INSERT OR REPLACE INTO claim (address, account_no, blocked_until) VALUES (?, ?, NULL)').run(
      address,
      wish.account_no,
    );
  }
  tx.sql(
    `INSERT INTO inbox (id, account_no, address, routing_key, label, is_public, is_enabled, metadata,
       month, month_count, created_at, updated_at, domain_no)
     VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?, 0, ?, ?, ?)`,
  ).run(
    id,
    wish.account_no,
    address,
    localPart,
    wish.label,
    Number(wish.is_public),
    wish.metadata,
    monthOf(tx.nowUs),
    tx.nowUs,
    tx.nowUs,
    wish.domain_no ?? null,
  );
  return inboxById(tx, id)!;
}

/** A message has come: counts it in its calendar month. */
export function countMessage(tx: Tx, inboxNo: number, receivedAt: number): void {
  const month = monthOf(receivedAt);
  tx.sql(
    `UPDATE inbox
     SET month_count = CASE month WHEN ? THEN month_count + 1 ELSE 1 END, month = ?
     WHERE no = ?`,
  ).run(month, month, inboxNo);
}

/** As a caller wishes it: on the shared domain, or on a domain of its own by that one's id. */
export interface InboxWish extends Omit<NewInbox, 'domain_no'> {
  domain_id: string | null;
}

export const createInboxOp = writeOp(
  'inboxes.create',
  (tx, { wish, once }: { wish: InboxWish; once: OnceWish | null }): Inbox =>
    withIdempotency(tx, once, () => {
      if (wish.domain_id === null) return createInbox(tx, wish);
      const domain =
        inboxDomain(tx, wish.account_no, wish.domain_id) ?? fail('domain_not_found_or_unverified');
      return createInbox(tx, { ...wish, domain: domain.name, domain_no: domain.no });
    }),
);

/** What an inbox is to have; what is undefined stays. */
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

/** Changes nothing, not even `updated_at`, when the inbox has all of it already. */
export const updateInboxOp = writeOp('inboxes.update', (tx, wish: UpdateInbox): Inbox => {
  const inbox = ownInbox(tx, wish.account_no, wish.id) ?? fail('not_found');
  const { label, metadata, is_public, is_enabled } = wish.changes;
  if (is_public && !inbox.address.endsWith(`@${wish.sharedDomain}`))
    fail('public_not_allowed_on_custom_domain');
  if (is_enabled === false && inbox.is_catch_all && wish.hasCatchAll) fail('catch_all_target');
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
  return inboxById(tx, inbox.id)!;
});

export interface DeleteInbox {
  account_no: number;
  id: string;
  /** The plan has catch-all; without it none is active, and none keeps its target. */
  hasCatchAll: boolean;
}

/** Disabled and hidden in one step; its claim stays, a job erases the rest. */
export const deleteInboxOp = writeOp(
  'inboxes.delete',
  (tx, { account_no, id, hasCatchAll }: DeleteInbox): { inbox_no: number } => {
    const inbox = ownInbox(tx, account_no, id) ?? fail('not_found');
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
export function oldestDeletedInbox(tx: Tx): number | null {
  const row = tx.sql('SELECT no FROM inbox WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT 1').get() as
    | { no: number }
    | undefined;
  return row?.no ?? null;
}

/** The row of a deleted inbox that holds no message any more. */
export function eraseInbox(tx: Tx, inboxNo: number): void {
  tx.sql('DELETE FROM inbox WHERE no = ? AND deleted_at IS NOT NULL').run(inboxNo);
}

/** An inbox that was made for a trial and holds nothing: it goes at once, and its claim with it. */
export function dropInbox(tx: Tx, { no, address }: { no: number; address: string }): void {
  tx.sql('DELETE FROM inbox WHERE no = ?').run(no);
  tx.sql('DELETE FROM claim WHERE address = ?').run(address);
}

/** Frees addresses whose block is over; gives how many. */
export const freeClaimsOp = jobOp('inboxes.free_claims', (tx, { max }: { max: number }): number => {
  return tx
    .sql(
      `DELETE FROM claim WHERE address IN
         (SELECT address FROM claim WHERE blocked_until IS NOT NULL AND blocked_until <= ? LIMIT ?)`,
    )
    .run(tx.nowUs, max).changes;
});

/** For src/app/writes.ts. */
export const inboxWrites: readonly AnyWriteOp[] = [createInboxOp, updateInboxOp, deleteInboxOp, freeClaimsOp];
