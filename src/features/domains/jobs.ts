import { DAY_US } from '../../platform/core/clock.ts';
import type { Job } from '../../platform/job.ts';
import { checkDomain, type DomainServices } from './check.ts';
import { dueDomains, isDueAfter } from './sql.ts';
import { rebaseChecksOp } from './writes.ts';

/** Domains that are asked for side by side: of each some look-ups, of which one may take 5 s. */
const AT_ONCE = 8;

/** No check is put off for longer than a day; later than this it was by a clock that was wrong. */
const DUE_MAX_US = 2 * DAY_US;

/** Until none is due, which ends: a check puts its domain off. */
async function checkDue(services: DomainServices, signal: AbortSignal): Promise<void> {
  const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  const afterUs = services.clock.nowUs() + DUE_MAX_US;
  if (isDueAfter(services.store, afterUs)) await services.store.write(rebaseChecksOp, { afterUs });
  while (!signal.aborted) {
    const due = dueDomains(services.store, services.clock.nowUs(), AT_ONCE);
    if (due.length === 0) return;
    const checks = Promise.all(due.map((domain) => checkDomain(services, domain, 'scheduler')));
    // A stop does not wait for the DNS; what it says then is not lost: it is asked again.
    await Promise.race([checks, stopped]);
    checks.catch(() => {});
  }
}

export const domainJobs: readonly Job<DomainServices>[] = [
  { name: 'domains.check', everyS: 15, run: checkDue },
];
