/** Every job, and what runs them. */
import { account_jobs } from './accounts/jobs.ts';
import type { Cancel } from './core/clock.ts';
import { domain_jobs } from './domains/jobs.ts';
import type { Floor } from './floor.ts';
import { http_jobs } from './http/jobs.ts';
import { inbox_jobs } from './inboxes/jobs.ts';
import { diary_jobs } from './ingest/diary/jobs.ts';
import type { Job } from './job.ts';
import { search_jobs } from './messages/index-search.ts';
import { message_jobs } from './messages/jobs.ts';
import { outbound_jobs } from './outbound/jobs.ts';
import { sending_jobs } from './outbound/sending/jobs.ts';
import { registration_jobs } from './registration/jobs.ts';
import { lastRuns, noteJobRunOp } from './store/job-run.ts';
import { webhook_jobs } from './webhooks/jobs.ts';

export const jobs: readonly Job[] = [
  ...http_jobs,
  ...inbox_jobs,
  ...message_jobs,
  ...search_jobs,
  ...registration_jobs,
  ...domain_jobs,
  ...account_jobs,
  ...webhook_jobs,
  ...outbound_jobs,
  ...diary_jobs,
  ...sending_jobs,
];

/** A job that comes back sooner than this is not worth a note: after a start it soon runs anyway. */
const NOTED_FROM_S = 60;
/** A job that came due while the server was down runs so long after the start: first it takes mail. */
const OVERDUE_AFTER_MS = 2_000;

/**
 * Runs each job again and again; one's fault is logged and stops no other. When one ran last stands in the store, so
 * that starting again neither runs it early nor puts it off.
 */
export function startJobs(floor: Floor, list: readonly Job[] = jobs): { stop(): Promise<void> } {
  const abort = new AbortController();
  const timers = new Map<string, Cancel>();
  const running = new Set<Promise<void>>();

  const schedule = (job: Job, delay_ms: number) => {
    if (abort.signal.aborted) return;
    timers.set(
      job.name,
      floor.clock.after(delay_ms, () => start(job)),
    );
  };
  const start = (job: Job) => {
    if (abort.signal.aborted) return;
    const run = guarded(floor, job, abort.signal).finally(() => {
      running.delete(run);
      schedule(job, job.every_s * 1000);
    });
    running.add(run);
  };
  const last_runs = lastRuns(floor.store);
  for (const job of list) schedule(job, firstDelay(job, last_runs.get(job.name), floor.clock.now_us()));
  // From here on they count as run: else a server that is often started again would never get to an hourly one.
  const fresh = list.filter(({ name, every_s }) => every_s >= NOTED_FROM_S && !last_runs.has(name));
  if (fresh.length > 0)
    void note(
      floor,
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
function firstDelay(job: Job, last_at: number | undefined, now_us: number): number {
  const every_ms = job.every_s * 1000;
  if (last_at === undefined) return every_ms;
  const left_ms = last_at / 1000 + every_ms - now_us / 1000;
  // A last run in the future is that of a clock that was set back.
  return Math.min(every_ms, Math.max(Math.min(every_ms, OVERDUE_AFTER_MS), left_ms));
}

async function note(floor: Floor, names: readonly string[]): Promise<void> {
  try {
    await floor.store.write(noteJobRunOp, { names, at: floor.clock.now_us() });
  } catch (fault) {
    floor.log.warn('that a job has run could not be noted', { fault: String(fault) });
  }
}

async function guarded(floor: Floor, job: Job, signal: AbortSignal): Promise<void> {
  try {
    await job.run(floor, signal);
    // What was cut off by the stop runs again after the next start.
    if (job.every_s >= NOTED_FROM_S && !signal.aborted) await note(floor, [job.name]);
  } catch (fault) {
    floor.log.error('a job failed; it runs again at its next time', {
      job: job.name,
      fault: fault instanceof Error ? (fault.stack ?? fault.message) : String(fault),
    });
  }
}
