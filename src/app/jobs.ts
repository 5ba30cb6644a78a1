/** Every job, and the scheduler that runs them. */

import { uptime } from 'node:os';
import { accountJobs } from '../features/accounts/jobs.ts';
import { auditJobs } from '../features/audit/jobs.ts';
import { domainJobs } from '../features/domains/jobs.ts';
import { eventJobs } from '../features/events/jobs.ts';
import { inboxJobs } from '../features/inboxes/jobs.ts';
import { diaryJobs } from '../features/ingest/diary/jobs.ts';
import { ingestJobs } from '../features/ingest/jobs.ts';
import { mailRuleJobs } from '../features/mail-rules/jobs.ts';
import { searchJobs } from '../features/messages/index-search.ts';
import { messageJobs } from '../features/messages/jobs.ts';
import { threadJobs } from '../features/messages/threads/jobs.ts';
import { holdJobs } from '../features/outbound/hold/jobs.ts';
import { outboundJobs } from '../features/outbound/jobs.ts';
import { suppressionJobs } from '../features/outbound/suppression/jobs.ts';
import { registrationJobs } from '../features/registration/jobs.ts';
import { webhookJobs } from '../features/webhooks/jobs.ts';
import { type Cancel, DAY_US, SECOND_US } from '../platform/core/clock.ts';
import { describeThrown } from '../platform/core/thrown.ts';
import { httpJobs } from '../platform/http/jobs.ts';
import type { Job } from '../platform/job.ts';
import { noteJobRunOp, readLastRuns } from '../platform/store/job-run.ts';
import type { Services } from './services.ts';

export const jobs: readonly Job<Services>[] = [
  ...httpJobs,
  ...inboxJobs,
  ...messageJobs,
  ...searchJobs,
  ...threadJobs,
  ...mailRuleJobs,
  ...registrationJobs,
  ...domainJobs,
  ...accountJobs,
  ...eventJobs,
  ...auditJobs,
  ...webhookJobs,
  ...outboundJobs,
  ...holdJobs,
  ...diaryJobs,
  ...ingestJobs,
  ...suppressionJobs,
];

/** The runs of a job that repeats more often than this are not recorded: after a restart it soon runs anyway. */
const NOTED_FROM_S = 60;
/**
 * If the clock is this far ahead of the last run of a job that erases by age, it may be wrong: set by mistake, or not yet set by a
 * time server after a boot. The job then waits, so that somebody can correct the clock.
 */
const LEAP_MS_MIN = DAY_US / 1000;
const AFTER_LEAP_MS = 3_600_000;
/** Recorded at each orderly stop, like a run of a job. Without it, a clock that jumped ahead would look like a long down time. */
const STOP = 'stop';
/** Delay, after the start, of a job that came due while the server was down: accepting mail comes first. */
const OVERDUE_AFTER_MS = 2_000;

/**
 * Runs each job again and again. If one fails, that is logged, and the others go on. The store has the time of each job's last run,
 * so that a restart neither brings a job forward nor postpones it.
 *
 * @param upS Seconds since the machine booted.
 */
export function startJobs(
  services: Services,
  list: readonly Job<Services>[] = jobs,
  upS: number = uptime(),
): { stop(): Promise<void> } {
  const abort = new AbortController();
  const timers = new Map<string, Cancel>();
  const running = new Set<Promise<void>>();

  const runs = readLastRuns(services.store);
  const nowUs = services.clock.nowUs();
  // If no run at all was recorded for a day, the server was down. If only those of jobs that erase are missing, these were waiting.
  const downUs = nowUs - Math.max(0, ...runs.values());
  // A clock that is ahead by more than the machine has been up can't be told from a wrong one.
  const wasDown = downUs >= DAY_US && downUs <= upS * SECOND_US;
  const leaps = new ClockLeaps(services, wasDown ? nowUs : 0);

  const schedule = (job: Job<Services>, delayMs: number) => {
    if (abort.signal.aborted) return;
    timers.set(
      job.name,
      services.clock.after(delayMs, () => start(job)),
    );
  };
  const start = (job: Job<Services>) => {
    if (abort.signal.aborted) return;
    const waitMs = leaps.countWait(job, runs.get(job.name));
    if (waitMs > 0) return schedule(job, waitMs);
    const run = runGuarded(services, job, abort.signal).finally(() => {
      running.delete(run);
      runs.set(job.name, services.clock.nowUs());
      schedule(job, job.everyS * 1000);
    });
    running.add(run);
  };
  for (const job of list) schedule(job, countFirstDelay(job, runs.get(job.name), services.clock.nowUs()));
  // New jobs count as having run now. Otherwise a server that restarts often would never get to an hourly job.
  const fresh = list.filter(({ name, everyS }) => everyS >= NOTED_FROM_S && !runs.has(name));
  for (const { name } of fresh) runs.set(name, services.clock.nowUs());
  if (fresh.length > 0)
    void note(
      services,
      fresh.map(({ name }) => name),
    );

  return {
    async stop() {
      abort.abort();
      for (const cancel of timers.values()) cancel();
      await Promise.all(running);
      await note(services, [STOP]);
    },
  };
}

/** Decides how long jobs that erase by age wait because the clock is far ahead. */
class ClockLeaps {
  /** When a leap was first seen for a job, by the monotonic clock. */
  private readonly seenMs = new Map<string, number>();

  constructor(
    private readonly services: Pick<Services, 'clock' | 'log'>,
    /** When the clock was last known to be right. */
    private readonly rightAtUs: number,
  ) {}

  /** Returns the milliseconds until a job may run. */
  countWait({ name, everyS, erasesByAge }: Job<Services>, lastAt: number | undefined): number {
    if (!erasesByAge || lastAt === undefined) return 0;
    const { clock, log } = this.services;
    const aheadMs = (clock.nowUs() - Math.max(lastAt, this.rightAtUs)) / 1000 - everyS * 1000;
    if (aheadMs < LEAP_MS_MIN) {
      this.seenMs.delete(name);
      return 0;
    }
    const seenMs = this.seenMs.get(name) ?? clock.elapsedMs();
    this.seenMs.set(name, seenMs);
    const waitMs = seenMs + AFTER_LEAP_MS - clock.elapsedMs();
    if (waitMs > 0) {
      const message =
        'the clock is far ahead of the last time that old mail was erased; that waits an hour, in case it is wrong';
      log.rarely('warn', message, { days: Math.round((aheadMs * 1000) / DAY_US) });
    }
    return Math.max(0, waitMs);
  }
}

/** Returns the milliseconds from the start to a job's first run. */
function countFirstDelay(job: Job<Services>, lastAt: number | undefined, nowUs: number): number {
  const everyMs = job.everyS * 1000;
  if (lastAt === undefined) return everyMs;
  const leftMs = lastAt / 1000 + everyMs - nowUs / 1000;
  // If the last run is in the future, the clock was set back.
  return Math.min(everyMs, Math.max(Math.min(everyMs, OVERDUE_AFTER_MS), leftMs));
}

async function note(services: Services, names: readonly string[]): Promise<void> {
  try {
    await services.store.write(noteJobRunOp, { names, at: services.clock.nowUs() });
  } catch (fault) {
    services.log.warn('the run of a job could not be recorded', { fault: String(fault) });
  }
}

async function runGuarded(services: Services, job: Job<Services>, signal: AbortSignal): Promise<void> {
  try {
    await job.run(services, signal);
    // A run that was cut off by the stop is not recorded, so that it is repeated after the next start.
    if (job.everyS >= NOTED_FROM_S && !signal.aborted) await note(services, [job.name]);
  } catch (fault) {
    services.log.error('a job failed; it runs again at its next time', {
      job: job.name,
      fault: describeThrown(fault),
    });
  }
}
