import { DAY_US } from '../../platform/core/clock.ts';
import type { Job } from '../../platform/job.ts';
import { checkDomain, type DomainServices } from './check.ts';
import { isDueAfter, listDueDomains } from './sql.ts';
import { rebaseChecksOp } from './writes.ts';

/** How many domains are checked at once. Each needs several look-ups, of up to 5 s. */
const AT_ONCE = 8;

/** No check is postponed by more than a day, so one that is due later than this was scheduled by a wrong clock. */
const DUE_MAX_US = 2 * DAY_US;

/** Checks domains until none is due. It ends because each check postpones its domain. */
async function checkDue(services: DomainServices, signal: AbortSignal): Promise<void> {
  const afterUs = services.clock.nowUs() + DUE_MAX_US;
  if (isDueAfter(services.store, afterUs)) await services.store.write(rebaseChecksOp, { afterUs });
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  const onStop = () => resolve();
  // The signal outlives this run, and would keep a listener that is not removed.
  signal.addEventListener('abort', onStop);
  try {
    while (!signal.aborted) {
      const due = listDueDomains(services.store, services.clock.nowUs(), AT_ONCE);
      if (due.length === 0) return;
      const checks = Promise.all(due.map((domain) => checkDomain(services, domain, 'scheduler')));
      // A stop does not wait for the DNS. Losing the answer does not matter: the check runs again after the next start.
      await Promise.race([checks, stopped]);
      checks.catch(() => {});
    }
  } finally {
    signal.removeEventListener('abort', onStop);
  }
}

export const domainJobs: readonly Job<DomainServices>[] = [
  { name: 'domains.check', everyS: 15, run: checkDue },
];
