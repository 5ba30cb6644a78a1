/** Every write to domains and their DKIM keys. */
import { randomBytes } from 'node:crypto';
import { fail } from '../../platform/core/failure.ts';
import { newId } from '../../platform/core/id.ts';
import type { OnceRequest } from '../../platform/http/route.ts';
import { withIdempotency } from '../../platform/http/writes.ts';
import {
  type AnyWriteOp,
  type AuditedTx,
  auditedOp,
  onFullDisk,
  type Tx,
  writeOp,
} from '../../platform/store/operation.ts';
import { findAccountByNo } from '../accounts/sql.ts';
import { recordAudit } from '../audit/writes.ts';
import { recordEvent } from '../events/writes.ts';
import { setCatchAllOp } from './catch-all/writes.ts';
import {
  advanceDomain,
  advanceKey,
  type CheckResult,
  computeNextPendingCheck,
  type RecordVerdict,
  scheduleNextCheck,
} from './lifecycle.ts';
import { chooseSelector } from './selector.ts';
import {
  countDomains,
  type Domain,
  findDomainById,
  findDomainByName,
  findOwnDomain,
  hasInboxes,
  listDkimKeys,
} from './sql.ts';

const TOKEN_BYTES = 16;

export interface NewDomain {
  account_no: number;
  /** How many domains the plan allows. */
  cap: number;
  /** As requireDomainName returns it. */
  name: string;
}

export const createDomainOp = auditedOp(
  'domains.create',
  (tx, { input, once }: { input: NewDomain; once: OnceRequest | null }): Domain =>
    withIdempotency(tx, once, () => createDomain(tx, input)),
);

function createDomain(tx: AuditedTx, { account_no, cap, name }: NewDomain): Domain {
  // The key was valid when the request arrived, but the account may have been deleted since.
  if (!findAccountByNo(tx, account_no)) fail('authentication_required');
  if (countDomains(tx, account_no) >= cap) fail('domain_limit_reached');
  if (findDomainByName(tx, name)) fail('domain_taken');
  const id = newId('domain');
  const token = `postern-verification=${randomBytes(TOKEN_BYTES).toString('hex')}`;
  tx.sql(
    `INSERT INTO domain (id, account_no, name, status, verification_token, pending_since, next_check_at, catch_all,
       created_at)
     VALUES (?, ?, ?, 'pending_dns', ?, ?, ?, 0, ?)`,
  ).run(id, account_no, name, token, tx.nowUs, computeNextPendingCheck(tx.nowUs, tx.nowUs), tx.nowUs);
  recordAudit(tx, { action: 'domain.added', account_no, target: name });
  return findDomainById(tx, id)!;
}

/** Deletes a domain and its DKIM keys, so that the name is free again. */
export const deleteDomainOp = auditedOp(
  'domains.delete',
  (tx, { account_no, id }: { account_no: number; id: string }): void => {
    const domain = findOwnDomain(tx, account_no, id) ?? fail('not_found');
    if (hasInboxes(tx, domain.no)) fail('domain_has_inboxes');
    tx.sql('DELETE FROM domain WHERE no = ?').run(domain.no);
    recordAudit(tx, { action: 'domain.removed', account_no, target: domain.name });
  },
);

/** Takes a domain out of service, for the operator. It is not checked any more. No effect on one that is disabled. */
export const disableDomainOp = auditedOp('domains.disable', (tx, { id }: { id: string }): Domain => {
  const domain = findDomainById(tx, id) ?? fail('not_found');
  if (domain.status === 'disabled') return domain;
  tx.sql(
    `UPDATE domain
     SET status = 'disabled', pending_since = NULL, failing_since = NULL, next_check_at = NULL, stopped_at = ?
     WHERE no = ?`,
  ).run(domain.status === 'verified' ? tx.nowUs : domain.stopped_at, domain.no);
  recordAudit(tx, { action: 'domain.disabled', account_no: domain.account_no, target: domain.name });
  return findDomainById(tx, id)!;
});

/** Enables a disabled domain. It waits for a check, which the caller must start. No effect unless it is disabled. */
export const enableDomainOp = auditedOp('domains.enable', (tx, { id }: { id: string }): Domain => {
  const domain = findDomainById(tx, id) ?? fail('not_found');
  if (domain.status !== 'disabled') return domain;
  tx.sql(
    `UPDATE domain
     SET status = 'pending_dns', pending_since = ?, next_check_at = ?, last_error = NULL
     WHERE no = ?`,
  ).run(tx.nowUs, computeNextPendingCheck(tx.nowUs, tx.nowUs), domain.no);
  recordAudit(tx, { action: 'domain.enabled', account_no: domain.account_no, target: domain.name });
  return findDomainById(tx, id)!;
});

/** The result of a check. */
export interface RecordCheck {
  id: string;
  found: CheckResult;
  /** The DKIM keys that existed when the check began; null if they were not checked. */
  keys: { no: number; verdict: RecordVerdict }[] | null;
  byOwner: boolean;
}

/** Records a check. Returns null if the domain has been deleted. */
export const recordCheckOp = writeOp('domains.record_check', (tx, check: RecordCheck): Domain | null => {
  const domain = findDomainById(tx, check.id);
  if (!domain) return null;
  const { nowUs } = tx;
  if (check.keys) recordKeys(tx, domain.no, check.keys);
  const after = advanceDomain(domain, check.found, nowUs, check.byOwner);
  // A check by the owner postpones nothing: the scheduler's check covers more, and its failures count.
  const next = scheduleNextCheck(after, listDkimKeys(tx, domain.no), check.found.verdict, nowUs);
  tx.sql(
    `UPDATE domain
     SET status = ?, pending_since = ?, failing_since = ?, stopped_at = ?, last_checked_at = ?, last_error = ?,
       next_check_at = ?
     WHERE no = ?`,
  ).run(
    after.status,
    after.pending_since,
    after.failing_since,
    after.stopped_at,
    after.last_checked_at,
    after.last_error,
    check.byOwner && after.status === domain.status ? domain.next_check_at : next,
    domain.no,
  );
  if (after.status !== domain.status) recordStatus(tx, domain, after.status);
  return findDomainById(tx, check.id);
});

function recordStatus(tx: Tx, { account_no, id }: Domain, status: Domain['status']): void {
  if (status !== 'verified' && status !== 'failed') return;
  recordEvent(tx, { kind: `domain.${status}`, account_no, inbox_no: null, subject_id: id });
}

function recordKeys(tx: Tx, domainNo: number, found: { no: number; verdict: RecordVerdict }[]): void {
  for (const key of listDkimKeys(tx, domainNo)) {
    const verdict = found.find(({ no }) => no === key.no)?.verdict;
    if (verdict === undefined) continue;
    const { status, failing_since } = advanceKey(key, verdict, tx.nowUs);
    tx.sql('UPDATE dkim_key SET status = ?, failing_since = ? WHERE no = ?').run(
      status,
      failing_since,
      key.no,
    );
    // From now on the new key signs, so older ones can go.
    if (status === 'verified')
      tx.sql('DELETE FROM dkim_key WHERE domain_no = ? AND no < ?').run(domainNo, key.no);
  }
}

export interface AddKey {
  account_no: number;
  id: string;
  public_key: string;
  /** Encrypted. */
  private_key: Uint8Array;
}

/** Adds a DKIM key. It signs once it is found in the DNS; until then, the verified one does. */
export const addDkimKeyOp = auditedOp('domains.add_dkim_key', (tx, input: AddKey): Domain => {
  const domain = findOwnDomain(tx, input.account_no, input.id) ?? fail('not_found');
  if (domain.status !== 'verified') fail('domain_not_verified');
  const keys = listDkimKeys(tx, domain.no);
  const selector = chooseSelector(
    keys.map((key) => key.selector),
    tx.nowUs,
  );
  tx.sql(`DELETE FROM dkim_key WHERE domain_no = ? AND status <> 'verified'`).run(domain.no);
  tx.sql(
    `INSERT INTO dkim_key (domain_no, selector, status, public_key, private_key, created_at)
     VALUES (?, ?, 'pending_dns', ?, ?, ?)`,
  ).run(domain.no, selector, input.public_key, input.private_key, tx.nowUs);
  const event = { account_no: domain.account_no, target: domain.name, details: { selector } };
  recordAudit(tx, { action: 'domain.dkim_key_created', ...event });
  tx.sql('UPDATE domain SET next_check_at = min(next_check_at, ?) WHERE no = ?').run(
    computeNextPendingCheck(tx.nowUs, tx.nowUs),
    domain.no,
  );
  return findDomainById(tx, input.id)!;
});

/** Makes every check due now that was scheduled by a clock which was ahead: later than any check can be. */
export const rebaseChecksOp = writeOp('domains.rebase', (tx, { afterUs }: { afterUs: number }): void => {
  tx.sql('UPDATE domain SET next_check_at = ? WHERE next_check_at > ?').run(tx.nowUs, afterUs);
});

/** For src/app/writes.ts. */
export const domainWrites: readonly AnyWriteOp[] = [
  createDomainOp,
  onFullDisk(deleteDomainOp),
  disableDomainOp,
  enableDomainOp,
  recordCheckOp,
  addDkimKeyOp,
  setCatchAllOp,
  rebaseChecksOp,
];
