/** Checks a domain in the DNS and records the result. */
import type { PlatformServices } from '../../platform/services.ts';
import type { CheckResult } from './lifecycle.ts';
import { checkRecord, expectDkim, expectMx, expectOwnership, readRecordVerdict } from './records.ts';
import { type DkimKey, type Domain, listDkimKeys } from './sql.ts';
import type { CheckedRecord } from './wire.ts';
import { recordCheckOp } from './writes.ts';

/**
 * Who asks. An owner's check changes less of a verified domain and leaves DKIM alone (docs/api-v1.md, States and
 * transitions).
 */
type Asker = 'owner' | 'operator' | 'scheduler';

export interface DomainServices extends PlatformServices {
  /** Checks in progress, by who asks and domain. A second request for one shares its result. */
  readonly domainChecks: Map<string, Promise<Domain | null>>;
}

/**
 * Checks ownership, MX and, unless the owner asks, DKIM keys. All look-ups run at once, so it takes no longer than one
 * (5 s at most). Returns the domain afterwards, or null if it has been deleted in the meantime.
 */
export function checkDomain(services: DomainServices, domain: Domain, by: Asker): Promise<Domain | null> {
  const { domainChecks } = services;
  const name = `${by} ${domain.id}`;
  const running = domainChecks.get(name);
  if (running) return running;
  const check = runCheck(services, domain, by).finally(() => domainChecks.delete(name));
  domainChecks.set(name, check);
  return check;
}

async function runCheck(services: PlatformServices, domain: Domain, by: Asker): Promise<Domain | null> {
  const keys = by === 'owner' ? null : listDkimKeys(services.store, domain.no);
  const [ownership, mx, ...checks] = await Promise.all([
    checkRecord(services, expectOwnership(domain)),
    checkRecord(services, expectMx(services, domain)),
    ...(keys ?? []).map((key) => checkRecord(services, expectDkim(domain, key.selector, key.public_key))),
  ]);
  const found = joinResults(ownership, mx);
  const checked = await services.store.write(recordCheckOp, {
    id: domain.id,
    found,
    keys: keys && listVerdicts(keys, checks),
    byOwner: by === 'owner',
  });
  if (checked) logChange(services, domain, checked);
  return checked;
}

/** Joins the results of both records. An error of ownership is reported first. */
function joinResults(ownership: CheckedRecord, mx: CheckedRecord): CheckResult {
  const error = ownership.error ?? mx.error;
  if (ownership.ok && mx.ok) return { verdict: 'yes', error: null };
  return { verdict: ownership.ok === false || mx.ok === false ? 'no' : 'unknown', error };
}

function listVerdicts(keys: readonly DkimKey[], checks: readonly CheckedRecord[]) {
  return keys.flatMap(({ no }, at) => {
    const one = checks[at];
    return one ? [{ no, verdict: readRecordVerdict(one) }] : [];
  });
}

function logChange({ log }: PlatformServices, before: Domain, after: Domain): void {
  if (before.status === after.status && before.dkim_status === after.dkim_status) return;
  const { id, name, status, dkim_status, last_error } = after;
  log.info('domain checked', { id, name, status, dkim_status, error: last_error });
}
