import { DAY_US } from '../../platform/core/clock.ts';
import type { Job } from '../../platform/job.ts';
import { checkDomain, type DomainServices } from './check.ts';
import { isDueAfter, listDueDomains } from './sql.ts';
import { rebaseChecksOp } from './writes.ts';

/** Domains checked concurrently. Each needs several look-ups, which may take 5 s each. */
const AT_ONCE = 8;

/** No check is postponed by more than a day. One due later than this was scheduled by a wrong clock. */
const DUE_MAX_US = 2 * DAY_US;

/** Runs until no domain is due. It ends because each check postpones its domain. */
async function checkDue(services: DomainServices, signal: AbortSignal): Promise<void> {
  const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  const afterUs = services.clock.nowUs() + DUE_MAX_US;
  if (isDueAfter(services.store, afterUs)) await services.store.write(rebaseChecksOp, { afterUs });
  while (!signal.aborted) {
    const due = listDueDomains(services.store, services.clock.nowUs(), AT_ONCE);
    if (due.length === 0) return;
    const checks = Promise.all(due.map((domain) => checkDomain(services, domain, 'scheduler')));
    // A stop does not wait for the DNS. The lost answer does not matter: the check runs again.
    await Promise.race([checks, stopped]);
    checks.catch(() => {});
  }
}

export const domainJobs: readonly Job<DomainServices>[] = [
  { name: 'domains.check', everyS: 15, run: checkDue },
];
