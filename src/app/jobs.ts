/** Every job, and what runs them. */
import { accountJobs } from '../features/accounts/jobs.ts';
import { domainJobs } from '../features/domains/jobs.ts';
import { inboxJobs } from '../features/inboxes/jobs.ts';
import { diaryJobs } from '../features/ingest/diary/jobs.ts';
import { searchJobs } from '../features/messages/index-search.ts';
import { messageJobs } from '../features/messages/jobs.ts';
import { outboundJobs } from '../features/outbound/jobs.ts';
import { sendingJobs } from '../features/outbound/sending/jobs.ts';
import { registrationJobs } from '../features/registration/jobs.ts';
import { webhookJobs } from '../features/webhooks/jobs.ts';
import type { Cancel } from '../platform/core/clock.ts';
import { httpJobs } from '../platform/http/jobs.ts';
import type { Job } from '../platform/job.ts';
import { lastRuns, noteJobRunOp } from '../platform/store/job-run.ts';
import type { Services } from './services.ts';

export const jobs: readonly Job<Services>[] = [
  ...httpJobs,
  ...inboxJobs,
  ...messageJobs,
  ...searchJobs,
  ...registrationJobs,
  ...domainJobs,
  ...accountJobs,
  ...webhookJobs,
  ...outboundJobs,
  ...diaryJobs,
  ...sendingJobs,
];

/** A job that comes back sooner than this is not worth a note: after a start it soon runs anyway. */
const NOTED_FROM_S = 60;
/** A job that came due while the server was down runs so long after the start: first it takes mail. */
const OVERDUE_AFTER_MS = 2_000;

/**
 * Runs each job again and again; one's fault is logged and stops no other. When one ran last stands in the store, so
 * that starting again neither runs it early nor puts it off.
 */
export function startJobs(
  services: Services,
  list: readonly Job<Services>[] = jobs,
): { stop(): Promise<void> } {
  const abort = new AbortController();
  const timers = new Map<string, Cancel>();
  const running = new Set<Promise<void>>();

  const schedule = (job: Job<Services>, delayMs: number) => {
    if (abort.signal.aborted) return;
    timers.set(
      job.name,
      services.clock.after(delayMs, () => start(job)),
    );
  };
  const start = (job: Job<Services>) => {
    if (abort.signal.aborted) return;
    const run = guarded(services, job, abort.signal).finally(() => {
      running.delete(run);
      schedule(job, job.everyS * 1000);
    });
    running.add(run);
  };
  const runs = lastRuns(services.store);
  for (const job of list) schedule(job, firstDelay(job, runs.get(job.name), services.clock.nowUs()));
  // From here on they count as run: else a server that is often started again would never get to an hourly one.
  const fresh = list.filter(({ name, everyS }) => everyS >= NOTED_FROM_S && !runs.has(name));
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
    },
  };
}

/** Milliseconds until a job's first run after a start. */
function firstDelay(job: Job<Services>, lastAt: number | undefined, nowUs: number): number {
  const everyMs = job.everyS * 1000;
  if (lastAt === undefined) return everyMs;
  const leftMs = lastAt / 1000 + everyMs - nowUs / 1000;
  // A last run in the future is that of a clock that was set back.
  return Math.min(everyMs, Math.max(Math.min(everyMs, OVERDUE_AFTER_MS), leftMs));
}

async function note(services: Services, names: readonly string[]): Promise<void> {
  try {
    await services.store.write(noteJobRunOp, { names, at: services.clock.nowUs() });
  } catch (fault) {
    services.log.warn('that a job has run could not be noted', { fault: String(fault) });
  }
}

async function guarded(services: Services, job: Job<Services>, signal: AbortSignal): Promise<void> {
  try {
    await job.run(services, signal);
    // What was cut off by the stop runs again after the next start.
    if (job.everyS >= NOTED_FROM_S && !signal.aborted) await note(services, [job.name]);
  } catch (fault) {
    services.log.error('a job failed; it runs again at its next time', {
      job: job.name,
      fault: fault instanceof Error ? (fault.stack ?? fault.message) : String(fault),
    });
  }
}
