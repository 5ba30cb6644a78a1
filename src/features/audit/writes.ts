/**
 * Every write to the audit log. An operation records its entry in its own transaction, so there is never one without
 * the other.
 */
import type { ActorKind } from '../../platform/core/actor.ts';
import { DAY_US } from '../../platform/core/clock.ts';
import { newId } from '../../platform/core/id.ts';
import {
  type AnyWriteOp,
  type AuditedTx,
  auditedOp,
  jobOp,
  type Tx,
} from '../../platform/store/operation.ts';
import { type AuditAction, audit as bounds } from '../../rules/audit.ts';

/** Short facts in plain text; never a secret. */
export type AuditDetails = Readonly<Record<string, string>>;

export interface AuditEvent {
  action: AuditAction;
  /** The account whose log gets the entry; null for the operator's log only. */
  account_no: number | null;
  /** What the action was applied to: an email, the start of a key, an address, a domain. */
  target?: string | null;
  details?: AuditDetails;
  /** The actor, if it is not that of the request: the person who is signing in. */
  by?: { kind: ActorKind; id: string; name: string };
}

/** Adds an entry. */
export function recordAudit(
  tx: AuditedTx,
  { action, account_no, target, details = {}, by }: AuditEvent,
): void {
  const { actor } = tx;
  const { kind, id } = by ?? actor;
  const cut = Object.entries(details).map(([name, value]) => [name, cutText(value)]);
  tx.sql(
    `INSERT INTO audit (id, at, account_id, action, actor_kind, actor_id, actor_name, address, agent, target, details)
     VALUES (?, ?, (SELECT id FROM account WHERE no = ?), ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    newId('audit'),
    tx.nowUs,
    account_no,
    action,
    kind,
    id,
    by?.name ?? readActorName(tx, kind, id),
    actor.address,
    actor.agent?.slice(0, bounds.agentCharsMax) ?? null,
    target == null ? null : cutText(target),
    JSON.stringify(Object.fromEntries(cut)),
  );
}

const cutText = (text: string) => text.slice(0, bounds.textCharsMax);

/** The name is stored with the entry, because the person or key may be removed later. */
function readActorName(tx: Tx, kind: ActorKind, id: string | null): string | null {
  if (id === null) return null;
  const row =
    kind === 'key'
      ? tx.sql('SELECT key_prefix AS name FROM api_key WHERE id = ?').get(id)
      : tx.sql('SELECT email AS name FROM user WHERE id = ?').get(id);
  return (row as { name: string } | undefined)?.name ?? null;
}

/** The name of the actor of this operation: the start of a key, or an email. */
export const findActorName = (tx: AuditedTx) => readActorName(tx, tx.actor.kind, tx.actor.id);

/** Describes the fields that really change, each as `before → after`. */
export function describeChanges<Thing extends object>(before: Thing, changes: Partial<Thing>): AuditDetails {
  const changed = Object.entries(changes).filter(([name, value]) => before[name as keyof Thing] !== value);
  return Object.fromEntries(
    changed.map(([name, value]) => [name, `${before[name as keyof Thing]} → ${value}`]),
  );
}

/** Records events that change nothing else, such as a failed sign-in. */
export const recordAuditOp = auditedOp('audit.note', (tx, { events }: { events: AuditEvent[] }): void => {
  for (const event of events) recordAudit(tx, event);
});

/** Deletes entries that are older than this many days. Returns how many. */
export const forgetAuditOp = jobOp(
  'audit.forget',
  (tx, { days, max }: { days: number; max: number }): number => {
    const since = tx.nowUs - days * DAY_US;
    tx.sql('UPDATE audit_kept SET since = ?').run(since);
    return tx
      .sql('DELETE FROM audit WHERE no IN (SELECT no FROM audit WHERE at < ? ORDER BY at LIMIT ?)')
      .run(since, max).changes;
  },
);

/** For src/app/writes.ts. */
export const auditWrites: readonly AnyWriteOp[] = [recordAuditOp, forgetAuditOp];
