/** The changes that people make to webhooks and their deliveries. */

import { SECOND_US } from '../../../platform/core/clock.ts';
import { fail } from '../../../platform/core/failure.ts';
import { newId } from '../../../platform/core/id.ts';
import type { OnceRequest } from '../../../platform/http/route.ts';
import { withIdempotency } from '../../../platform/http/writes.ts';
import {
  type AnyWriteOp,
  auditedOp,
  jobOp,
  onFullDisk,
  type Tx,
  writeOp,
} from '../../../platform/store/operation.ts';
import { deliveries as rules } from '../../../rules/deliveries.ts';
import { type EventKind, inboxHookEvents } from '../../../rules/events.ts';
import { findAccountByNo } from '../../accounts/sql.ts';
import { findEvent, listEventsAfter, type StoredEvent } from '../../events/sql.ts';
import { recordEvent, WEBHOOK_NOTICE } from '../../events/writes.ts';
import { countAccountWebhooks, findWebhook, findWebhookByNo, type Webhook } from '../sql.ts';
import { recordChange } from './record-change.ts';

/** The Idempotency-Key of the request, if it has one. */
export type Once = OnceRequest | null;

/** A webhook with its new secret, encrypted and in base64: the form that is stored for an Idempotency-Key. */
export interface WebhookWithSecret {
  hook: Omit<Webhook, 'secret' | 'previous_secret'>;
  sealed: string;
}

function describeWithSecret({ secret, previous_secret: _, ...hook }: Webhook): WebhookWithSecret {
  return { hook, sealed: Buffer.from(secret).toString('base64') };
}

interface SetWebhook {
  inbox_no: number;
  url: string;
  /** Sealed. */
  secret: Uint8Array;
  once: Once;
}

/** Creates the webhook of an inbox, or changes its URL: turns it on, clears its failures and rotates the secret. */
export const setWebhookOp = auditedOp(
  'webhooks.set',
  (tx, { inbox_no, url, secret, once }: SetWebhook): WebhookWithSecret =>
    withIdempotency(tx, once, () => {
      // The secret of a removed webhook must not sign any more.
      tx.sql(
        `INSERT INTO webhook (id, account_no, inbox_no, events, url, is_enabled, secret, failures, created_at,
           updated_at)
         SELECT ?, account_no, no, ?, ?, 1, ?, 0, ?, ? FROM inbox WHERE no = ? AND deleted_at IS NULL
         ON CONFLICT (inbox_no) DO UPDATE SET url = excluded.url, is_enabled = 1, disabled_reason = NULL,
           previous_secret = iif(removed_at IS NULL, secret, NULL),
           previous_until = iif(removed_at IS NULL, ?, NULL), secret = excluded.secret, failures = 0,
           failing_since = NULL, updated_at = excluded.updated_at,
           created_at = iif(removed_at IS NULL, created_at, excluded.created_at), removed_at = NULL`,
      ).run(
        newId('webhook'),
        JSON.stringify(inboxHookEvents),
        url,
        secret,
        tx.nowUs,
        tx.nowUs,
        inbox_no,
        tx.nowUs + rules.previousSecretS * SECOND_US,
      );
      const hook = findWebhook(tx, inbox_no) ?? fail('not_found');
      return describeWithSecret(recordChange(tx, 'webhook.set', hook));
    }),
);

interface NewAccountWebhook {
  account_no: number;
  /** Chosen by the caller, because the secret is encrypted for it. */
  id: string;
  url: string;
  events: readonly EventKind[];
  /** Sealed. */
  secret: Uint8Array;
  once: Once;
}

/** Creates a webhook of the whole account. */
export const createWebhookOp = auditedOp(
  'webhooks.create',
  (tx, { account_no, id, url, events, secret, once }: NewAccountWebhook): WebhookWithSecret =>
    withIdempotency(tx, once, () => {
      // The key was valid when the request arrived, but the account may have been deleted since.
      if (!findAccountByNo(tx, account_no)) fail('authentication_required');
      if (countAccountWebhooks(tx, account_no) >= rules.accountHooksMax) {
        const text = `An account may have at most ${rules.accountHooksMax} webhooks, not counting those of its inboxes.`;
        fail('plan_limit_reached', { text });
      }
      const { lastInsertRowid } = tx
        .sql(
          `INSERT INTO webhook (id, account_no, events, url, is_enabled, secret, failures, created_at, updated_at)
           VALUES (?, ?, ?, ?, 1, ?, 0, ?, ?)`,
        )
        .run(id, account_no, JSON.stringify(events), url, secret, tx.nowUs, tx.nowUs);
      return describeWithSecret(recordChange(tx, 'webhook.set', getWebhook(tx, Number(lastInsertRowid))));
    }),
);

/** The new values of a webhook; undefined leaves a field unchanged. */
export interface HookChanges {
  url?: string | undefined;
  events?: readonly EventKind[] | undefined;
  enabled?: boolean | undefined;
}

/** Changes a webhook of an account. A new URL clears its failures. */
export const changeWebhookOp = auditedOp(
  'webhooks.change',
  (tx, { no, changes }: { no: number; changes: HookChanges }): Webhook => {
    const hook = getWebhook(tx, no);
    const url = changes.url ?? hook.url;
    const events = changes.events ? JSON.stringify(changes.events) : hook.events;
    if (url !== hook.url || events !== hook.events) {
      tx.sql('UPDATE webhook SET url = ?, events = ?, updated_at = ? WHERE no = ?').run(
        url,
        events,
        tx.nowUs,
        no,
      );
    }
    if (url !== hook.url)
      tx.sql('UPDATE webhook SET failures = 0, failing_since = NULL WHERE no = ?').run(no);
    if (changes.enabled !== undefined && changes.enabled !== (hook.is_enabled === 1))
      switchWebhook(tx, hook, changes.enabled);
    return recordChange(tx, 'webhook.set', getWebhook(tx, no));
  },
);

/** Replaces the secret. Both sign for a while, so that the receiver can switch over. */
export const rotateSecretOp = auditedOp(
  'webhooks.rotate',
  (tx, { no, secret, once }: { no: number; secret: Uint8Array; once: Once }): WebhookWithSecret =>
    withIdempotency(tx, once, () => {
      tx.sql(
        `UPDATE webhook
         SET previous_secret = secret, previous_until = ?, secret = ?, updated_at = ?
         WHERE no = ? AND removed_at IS NULL`,
      ).run(tx.nowUs + rules.previousSecretS * SECOND_US, secret, tx.nowUs, no);
      return describeWithSecret(recordChange(tx, 'webhook.secret_rotated', getWebhook(tx, no)));
    }),
);

/** Turns a webhook on or off. Either clears its failures. */
export const switchWebhookOp = auditedOp(
  'webhooks.switch',
  (tx, { no, on }: { no: number; on: boolean }): Webhook => {
    switchWebhook(tx, getWebhook(tx, no), on);
    return recordChange(tx, on ? 'webhook.enabled' : 'webhook.disabled', getWebhook(tx, no));
  },
);

function switchWebhook(tx: Tx, hook: Webhook, on: boolean): void {
  tx.sql(
    `UPDATE webhook
     SET is_enabled = ?, disabled_reason = ?, failures = 0, failing_since = NULL, updated_at = ?
     WHERE no = ?`,
  ).run(Number(on), on ? null : 'operator', tx.nowUs, hook.no);
  if (!on && hook.is_enabled) recordDisabled(tx, getWebhook(tx, hook.no));
}

/** Records, for the account's other webhooks, that this one has been turned off. */
export function recordDisabled(tx: Tx, { id, account_no, inbox_no, inbox_id, url }: Webhook): void {
  recordEvent(tx, {
    kind: 'webhook.disabled',
    account_no,
    inbox_no,
    subject_id: id,
    note: () => ({ inbox_id, url }),
  });
}

/** A position in the order of a webhook's deliveries. */
export interface DeliveryPlace {
  due_at: number;
  event_no: number;
}

interface BringForward {
  no: number;
  /** When they become due: the time of the first step, so that no step finds what an earlier one has moved. */
  at: number;
  after: DeliveryPlace;
  max: number;
}

/**
 * Makes the next deliveries that wait for a retry due now, after those that are due already. Returns where the next
 * step continues, or null at the end. A delivery that fails again in the meantime waits at a later position, and may be
 * moved again, until its schedule ends.
 */
export const bringForwardOp = writeOp(
  'webhooks.bring_forward',
  (tx, { no, at, after, max }: BringForward): DeliveryPlace | null => {
    const found = tx.sql(WAITING_AFTER).all(no, after.due_at, after.event_no, max) as (DeliveryPlace & {
      no: number;
    })[];
    for (const delivery of found) tx.sql('UPDATE delivery SET due_at = ? WHERE no = ?').run(at, delivery.no);
    return found.length < max ? null : found.at(-1)!;
  },
);

export const WAITING_AFTER = `SELECT no, due_at, event_no
  FROM delivery INDEXED BY delivery_due
  WHERE webhook_no = ? AND status = 'pending' AND (due_at, event_no) > (?, ?)
  ORDER BY due_at, event_no
  LIMIT ?`;

/**
 * Gives up at most `max` pending deliveries of a webhook, and removes it if none are left. Otherwise turns it off and
 * returns null: call it again. The history stays.
 */
export const removeWebhookOp = auditedOp(
  'webhooks.remove',
  (tx, { no, max }: { no: number; max: number }): Webhook | null => {
    const hook = getWebhook(tx, no);
    if (giveUp(tx, no, max) === max) {
      tx.sql('UPDATE webhook SET is_enabled = 0 WHERE no = ?').run(no);
      return null;
    }
    tx.sql(
      `UPDATE webhook
       SET removed_at = ?, is_enabled = 0, url = '', secret = x'', previous_secret = NULL, previous_until = NULL,
         failures = 0, failing_since = NULL, disabled_reason = NULL
       WHERE no = ?`,
    ).run(tx.nowUs, no);
    return recordChange(tx, 'webhook.removed', hook);
  },
);

function giveUp(tx: Tx, no: number, max: number): number {
  return tx
    .sql(
      `UPDATE delivery SET status = 'failed' WHERE no IN
         (SELECT no FROM delivery INDEXED BY delivery_due WHERE webhook_no = ? AND status = 'pending' LIMIT ?)`,
    )
    .run(no, max).changes;
}

/** Returns a webhook that the request has found, unless it has been removed since. */
function getWebhook(tx: Tx, no: number): Webhook {
  return findWebhookByNo(tx, no) ?? fail(isOfInbox(tx, no) ? 'webhook_not_configured' : 'not_found');
}

function isOfInbox(tx: Tx, no: number): boolean {
  return tx.sql('SELECT 1 FROM webhook WHERE no = ? AND inbox_no IS NOT NULL').get(no) !== undefined;
}

interface Replay {
  webhook_no: number;
  /** One event of the account, whatever its kind, or all after a time that the webhook asks for. */
  what: { event_id: string } | { after: number };
}

export interface Replayed {
  replayed: number;
  /** Where the next replay continues; null if nothing is left. */
  nextAfter: number | null;
}

/** Makes events due now at a webhook, in order, whether it got them before or not. */
export const replayOp = writeOp('webhooks.replay', (tx, { webhook_no, what }: Replay): Replayed => {
  const hook = getWebhook(tx, webhook_no);
  if ('event_id' in what) {
    const text = `There is no event ${what.event_id}. Events are kept for 30 days.`;
    const event = findEvent(tx, hook.account_no, what.event_id) ?? fail('not_found', { text });
    if (hook.inbox_no !== null && event.inbox_no !== hook.inbox_no) fail('not_found', { text });
    makeDue(tx, hook, event);
    return { replayed: 1, nextAfter: null };
  }
  const wanted = new Set<string>(JSON.parse(hook.events));
  const found = listEventsAfter(tx, hook.account_no, what.after, rules.lookedThroughMax);
  let replayed = 0;
  for (const event of found) {
    const isWanted = wanted.has(event.kind) && (hook.inbox_no === null || hook.inbox_no === event.inbox_no);
    if (!isWanted) continue;
    makeDue(tx, hook, event);
    replayed += 1;
    if (replayed === rules.replayedMax) return { replayed, nextAfter: event.created_at };
  }
  const last = found.length === rules.lookedThroughMax ? found.at(-1) : undefined;
  return { replayed, nextAfter: last?.created_at ?? null };
});

/** Restarts the retry schedule of an event at a webhook. */
function makeDue(tx: Tx, { no }: Webhook, event: StoredEvent): void {
  tx.sql(
    `INSERT INTO delivery (event_no, webhook_no, status, tries, due_at, created_at, attempts)
     VALUES (?, ?, 'pending', 0, ?, ?, '[]')
     ON CONFLICT (webhook_no, event_no) DO UPDATE SET status = 'pending', tries = 0, due_at = excluded.due_at`,
  ).run(event.no, no, tx.nowUs, tx.nowUs);
  tx.notify({ topic: WEBHOOK_NOTICE, no });
}

/** Erases webhooks that were removed long ago and have no history left. Returns how many there were. */
export const eraseRemovedWebhooksOp = jobOp(
  'webhooks.erase_removed',
  (tx, { max }: { max: number }): number =>
    tx
      .sql(
        `DELETE FROM webhook
         WHERE no IN
           (SELECT w.no FROM webhook w
            WHERE w.removed_at <= ? AND NOT EXISTS (SELECT 1 FROM delivery d WHERE d.webhook_no = w.no)
            ORDER BY w.removed_at LIMIT ?)`,
      )
      .run(tx.nowUs - rules.keptS * SECOND_US, max).changes,
);

export const setupWrites: readonly AnyWriteOp[] = [
  setWebhookOp,
  createWebhookOp,
  changeWebhookOp,
  rotateSecretOp,
  switchWebhookOp,
  bringForwardOp,
  onFullDisk(removeWebhookOp),
  replayOp,
  eraseRemovedWebhooksOp,
];
