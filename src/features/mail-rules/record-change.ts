/** Records changes of rules in the audit log. */
import type { AuditedTx } from '../../platform/store/operation.ts';
import { mailRules as bounds } from '../../rules/mail-rules.ts';
import { type AuditDetails, recordAudit } from '../audit/writes.ts';
import { type RuleRow, readRule } from './sql.ts';

type Facts = Readonly<Record<string, unknown>>;

export const recordCreated = (tx: AuditedTx, row: RuleRow): void =>
  record(tx, 'rule.created', row, describeRule(row));

export const recordDeleted = (tx: AuditedTx, row: RuleRow): void =>
  record(tx, 'rule.deleted', row, describeRule(row));

/** Records a change, unless it left everything as it was. */
export function recordUpdated(tx: AuditedTx, before: RuleRow, after: RuleRow): void {
  const details = describeUpdate(readFacts(before), readFacts(after));
  const isTurned = before.is_enabled !== after.is_enabled;
  if (isTurned) record(tx, after.is_enabled ? 'rule.enabled' : 'rule.disabled', after, details);
  else if (Object.keys(details).length > 0) record(tx, 'rule.changed', after, details);
}

function record(
  tx: AuditedTx,
  action: 'rule.created' | 'rule.changed' | 'rule.enabled' | 'rule.disabled' | 'rule.deleted',
  { account_no, id, name }: RuleRow,
  details: AuditDetails,
): void {
  // Names need not be unique, so the id is recorded too.
  recordAudit(tx, { action, account_no, target: name || id, details: { id, ...details } });
}

/** Returns a rule's conditions and actions, without those that are not set. */
function describeRule(row: RuleRow): AuditDetails {
  const { name: _, template: _hidden, ...facts } = readFacts(row);
  const stated = Object.entries(facts).filter(([, value]) => value !== false && !isNothing(value));
  const off = row.is_enabled ? [] : [['is_enabled', 'false']];
  return Object.fromEntries([...off, ...stated.map(([name, value]) => [name, describe(name, value)])]);
}

function describeUpdate(before: Facts, after: Facts): AuditDetails {
  const changed = Object.keys(after).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  return Object.fromEntries(
    changed.map((name) => [
      name,
      // A template may contain a secret.
      name === 'template' ? 'changed' : `${describe(name, before[name])} → ${describe(name, after[name])}`,
    ]),
  );
}

function readFacts(row: RuleRow): Facts {
  const { name, conditions, actions } = readRule(row);
  const { notify, ...others } = actions;
  const notice = { notify: notify?.url ?? null, template: notify?.template ?? null };
  return { name, position: row.position, ...conditions, ...others, ...notice };
}

const isNothing = (value: unknown) =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** Formats a value, shortened so that a long old text leaves room for the new one. */
function describe(name: string, value: unknown): string {
  if (isNothing(value)) return 'none';
  // Only the host: a path may contain a secret.
  if (name === 'notify') return new URL(String(value)).host;
  const text = Array.isArray(value) ? value.join(', ') : String(value);
  const max = bounds.auditCharsMax;
  return text.length > max ? `${text.slice(0, max - 1)}…` : text;
}
