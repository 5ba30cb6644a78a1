/** A catch-all sends mail for addresses of a domain that have no inbox to one inbox of that domain. */
import { Failure, fail } from '../../../platform/core/failure.ts';
import { auditedOp, type Tx } from '../../../platform/store/operation.ts';
import { recordAudit } from '../../audit/writes.ts';
import { createInbox } from '../../inboxes/writes.ts';
import { type Domain, findOwnDomain } from '../sql.ts';
import { findBoundTarget, findTarget } from './sql.ts';

const LABEL = 'catch-all';

export interface SetCatchAll {
  account_no: number;
  id: string;
  on: boolean;
  /** The id of the target; null keeps the current target or creates an inbox. */
  inbox_id: string | null;
  /** How many live inboxes the plan allows. */
  cap: number;
}

/** Turns a catch-all on or off. While it is off, its target stays bound (docs/api-v1.md, States and transitions). */
export const setCatchAllOp = auditedOp('domains.set_catch_all', (tx, input: SetCatchAll): Domain => {
  const domain = findOwnDomain(tx, input.account_no, input.id) ?? fail('not_found');
  if (input.on) turnOn(tx, domain, input);
  else tx.sql('UPDATE domain SET catch_all = 0 WHERE no = ?').run(domain.no);
  const details = { catch_all: input.on ? 'on' : 'off' };
  recordAudit(tx, {
    action: 'domain.catch_all_changed',
    account_no: input.account_no,
    target: domain.name,
    details,
  });
  return findOwnDomain(tx, input.account_no, input.id)!;
});

function turnOn(tx: Tx, domain: Domain, { inbox_id, cap }: SetCatchAll): void {
  if (domain.status !== 'verified') fail('domain_not_verified');
  if (inbox_id === null && domain.catch_all === 1) return;
  const targetNo =
    inbox_id === null
      ? (findBoundTarget(tx, domain.no) ?? createTarget(tx, domain, cap))
      : requireTarget(tx, domain, inbox_id);
  tx.sql('UPDATE domain SET catch_all = 1, catch_all_inbox_no = ? WHERE no = ?').run(targetNo, domain.no);
}

function requireTarget(tx: Tx, domain: Domain, inboxId: string): number {
  const inbox = findTarget(tx, domain.account_no, inboxId);
  if (!inbox)
    return fail('domain_not_found_or_unverified', {
      status: 404,
      text: 'You have no inbox with that id.',
    });
  const isFit = inbox.is_live === 1 && inbox.is_enabled === 1 && inbox.domain_no === domain.no;
  if (!isFit)
    fail('catch_all_target_invalid', {
      fields: { inbox_id: ['must be a live, enabled inbox on this domain'] },
    });
  if (domain.catch_all === 1 && domain.catch_all_inbox_id === inbox.id) fail('catch_all_target');
  return inbox.no;
}

function createTarget(tx: Tx, domain: Domain, cap: number): number {
  try {
    const { no } = createInbox(tx, {
      account_no: domain.account_no,
      cap,
      domain: domain.name,
      domain_no: domain.no,
      routing_key: null,
      label: LABEL,
      is_public: false,
      metadata: '{}',
    });
    return no;
  } catch (thrown) {
    if (thrown instanceof Failure && thrown.code === 'plan_limit_reached') fail('inbox_limit_reached');
    throw thrown;
  }
}
