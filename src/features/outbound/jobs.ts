import { DAY_US } from '../../platform/core/clock.ts';
import { JOB_BATCH, type Job, repeatUntilDone } from '../../platform/job.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { type Plan, planNames } from '../../rules/plans.ts';
import { forgetEmailsOp } from './writes.ts';

/** Accounts per read. */
const ACCOUNTS_AT_ONCE = 200;

export const outboundJobs: readonly Job[] = [
  { name: 'outbound.retention', everyS: 3600, erasesByAge: true, run: keepRetention },
];

/** Forgets finished emails that are older than the retention of the account's plan. */
async function keepRetention(services: PlatformServices, signal: AbortSignal): Promise<void> {
  // Read once: the clock may jump ahead during a run.
  const nowUs = services.clock.nowUs();
  for (const plan of planNames) {
    const days = services.plans[plan].retention_days;
    if (days === 0) continue;
    const before = nowUs - days * DAY_US;
    let afterNo = 0;
    while (!signal.aborted) {
      const accounts = listAccountsWithOlder(services, plan, before, afterNo);
      for (const { no, has_older } of accounts) {
        if (!has_older) continue;
        const step = { account_no: no, before, max: JOB_BATCH };
        await repeatUntilDone(signal, () => services.store.write(forgetEmailsOp, step));
      }
      const last = accounts.at(-1);
      if (!last) break;
      afterNo = last.no;
    }
  }
}

interface AccountWithOlder {
  no: number;
  has_older: number;
}

/** Returns the next accounts of a plan, and whether each has an email from before a time. */
function listAccountsWithOlder(
  { store }: PlatformServices,
  plan: Plan,
  before: number,
  afterNo: number,
): AccountWithOlder[] {
  return store
    .sql(
      `SELECT a.no, coalesce((SELECT e.created_at FROM outbound_email e INDEXED BY outbound_email_account
                              WHERE e.account_no = a.no ORDER BY e.no LIMIT 1) < ?, 0) AS has_older
       FROM account a
       WHERE a.no > ? AND a.plan = ? AND a.deleted_at IS NULL
       ORDER BY a.no
       LIMIT ?`,
    )
    .all(before, afterNo, plan, ACCOUNTS_AT_ONCE) as AccountWithOlder[];
}
