import type { AuditedTx } from '../../../platform/store/operation.ts';
import type { AuditAction } from '../../../rules/audit.ts';
import { recordAudit } from '../../audit/writes.ts';
import type { Webhook } from '../sql.ts';

/** Records a change of a webhook, with only the host of its URL: the path may contain a secret. */
export function recordChange(tx: AuditedTx, action: AuditAction, hook: Webhook): Webhook {
  const { account_no, address, id, url } = hook;
  recordAudit(tx, { action, account_no, target: address ?? id, details: { host: new URL(url).host } });
  return hook;
}
