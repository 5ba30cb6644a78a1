/**
 * Every write to the audit log. An operation records its entry in its own transaction, so neither is without the other.
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

/** Plain, short facts; never a secret. */
export type AuditDetails = Readonly<Record<string, string>>;

export interface AuditEvent {
  action: AuditAction;
  /** Whose log it is in; null for the operator's alone. */
  account_no: number | null;
  /** What it was done to: an email, the start of a key, an address, a domain. */
  target?: string | null;
  details?: AuditDetails;
  /** Who did it, if the request does not say: the person who is signing in. */
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
    actor.agent?.slice(0, bounds.agent_chars_max) ?? null,
    target == null ? null : cutText(target),
    JSON.stringify(Object.fromEntries(cut)),
  );
}

const cutText = (text: string) => text.slice(0, bounds.text_chars_max);

/** The name at that time: the person or key may be removed later. */
function readActorName(tx: Tx, kind: ActorKind, id: string | null): string | null {
  if (id === null) return null;
  const row =
    kind === 'key'
      ? tx.sql('SELECT key_prefix AS name FROM api_key WHERE id = ?').get(id)
      : tx.sql('SELECT email AS name FROM user WHERE id = ?').get(id);
  return (row as { name: string } | undefined)?.name ?? null;
}

/** The name of who runs this operation: the start of a key, or an email. */
export const findActorName = (tx: AuditedTx) => readActorName(tx, tx.actor.kind, tx.actor.id);

/** What changed between two states of the same thing, as `before → after`. */
export function describeChanges<Thing extends object>(before: Thing, changes: Partial<Thing>): AuditDetails {
  const changed = Object.entries(changes).filter(([name, value]) => before[name as keyof Thing] !== value);
  return Object.fromEntries(
    changed.map(([name, value]) => [name, `${before[name as keyof Thing]} → ${value}`]),
  );
}

/** Records what changed nothing else: a failed sign-in. */
export const noteAuditOp = auditedOp('audit.note', (tx, { events }: { events: AuditEvent[] }): void => {
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
export const auditWrites: readonly AnyWriteOp[] = [noteAuditOp, forgetAuditOp];
