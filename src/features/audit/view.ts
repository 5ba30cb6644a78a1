import { isoTime } from '../../platform/core/clock.ts';
import type { AuditRow } from './sql.ts';
import type { AuditEntryView } from './wire.ts';

export function viewAudit(row: AuditRow): AuditEntryView {
  return {
    id: row.id,
    at: isoTime(row.at),
    action: row.action,
    account_id: row.account_id,
    actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    ip: row.address,
    user_agent: row.agent,
    target: row.target,
    details: JSON.parse(row.details) as Record<string, string>,
  };
}
