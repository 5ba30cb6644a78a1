/** Asks the DNS about a domain, and writes down what it said. */
import type { PlatformServices } from '../../platform/services.ts';
import type { CheckResult } from './life.ts';
import { dkimRecord, lookUpRecord, mxRecord, ownershipRecord, recordVerdictOf } from './records.ts';
import { type DkimKey, type Domain, dkimKeys } from './sql.ts';
import type { RecordLook } from './wire.ts';
import { recordCheckOp } from './writes.ts';

/** Who asked: what a check by the owner changes of a verified domain is less, and it leaves DKIM alone (contract: States). */
type Asker = 'owner' | 'operator' | 'scheduler';

export interface DomainServices extends PlatformServices {
  /** Those that are under way, by asker and domain: who asks for one meanwhile gets what it gives. */
  readonly domainChecks: Map<string, Promise<Domain | null>>;
}

/**
 * Ownership and MX, and unless the owner asked the DKIM keys, all at the same time: it takes no longer than one
 * look-up (5 s at most). Gives the domain as it is then, null when it was deleted meanwhile.
 */
export function checkDomain(services: DomainServices, domain: Domain, by: Asker): Promise<Domain | null> {
  const { domainChecks } = services;
  const name = `${by} ${domain.id}`;
  const running = domainChecks.get(name);
  if (running) return running;
  const check = look(services, domain, by).finally(() => domainChecks.delete(name));
  domainChecks.set(name, check);
  return check;
}

async function look(services: PlatformServices, domain: Domain, by: Asker): Promise<Domain | null> {
  const keys = by === 'owner' ? null : dkimKeys(services.store, domain.no);
  const [ownership, mx, ...looks] = await Promise.all([
    lookUpRecord(services, ownershipRecord(domain)),
    lookUpRecord(services, mxRecord(services, domain)),
    ...(keys ?? []).map((key) => lookUpRecord(services, dkimRecord(domain, key.selector, key.public_key))),
  ]);
  const found = resultOf(ownership, mx);
  const checked = await services.store.write(recordCheckOp, {
    id: domain.id,
    found,
    keys: keys && verdicts(keys, looks),
    byOwner: by === 'owner',
  });
  if (checked) tell(services, domain, checked);
  return checked;
}

/** First who owns it, then where its mail goes. */
function resultOf(ownership: RecordLook, mx: RecordLook): CheckResult {
  const error = ownership.error ?? mx.error;
  if (ownership.ok && mx.ok) return { verdict: 'yes', error: null };
  return { verdict: ownership.ok === false || mx.ok === false ? 'no' : 'unknown', error };
}

function verdicts(keys: readonly DkimKey[], looks: readonly RecordLook[]) {
  return keys.flatMap(({ no }, at) => {
    const one = looks[at];
    return one ? [{ no, verdict: recordVerdictOf(one) }] : [];
  });
}

function tell({ log }: PlatformServices, before: Domain, after: Domain): void {
  if (before.status === after.status && before.dkim_status === after.dkim_status) return;
  const { id, name, status, dkim_status, last_error } = after;
  log.info('domain checked', { id, name, status, dkim_status, error: last_error });
}
