/** Every job, and what runs them. */
import { account_jobs } from './accounts/jobs.ts';
import type { Cancel } from './core/clock.ts';
import type { Floor } from './floor.ts';
import { http_jobs } from './http/jobs.ts';
import { inbox_jobs } from './inboxes/jobs.ts';
import type { Job } from './job.ts';
import { search_jobs } from './messages/index-search.ts';
import { message_jobs } from './messages/jobs.ts';
import { registration_jobs } from './registration/jobs.ts';

export const jobs: readonly Job[] = [
  ...http_jobs,
  ...inbox_jobs,
  ...message_jobs,
  ...search_jobs,
  ...registration_jobs,
  ...account_jobs,
];

/** Starts each job after its first interval, again and again; one's fault is logged and stops no other. */
export function startJobs(floor: Floor, list: readonly Job[] = jobs): { stop(): Promise<void> } {
  const abort = new AbortController();
  const timers = new Map<string, Cancel>();
  const running = new Set<Promise<void>>();

  const schedule = (job: Job) => {
    if (abort.signal.aborted) return;
    timers.set(
      job.name,
      floor.clock.after(job.every_s * 1000, () => start(job)),
    );
  };
  const start = (job: Job) => {
    if (abort.signal.aborted) return;
    const run = guarded(floor, job, abort.signal).finally(() => {
      running.delete(run);
      schedule(job);
    });
    running.add(run);
  };
  for (const job of list) schedule(job);

  return {
    async stop() {
      abort.abort();
      for (const cancel of timers.values()) cancel();
      await Promise.all(running);
    },
  };
}

async function guarded(floor: Floor, job: Job, signal: AbortSignal): Promise<void> {
  try {
    await job.run(floor, signal);
  } catch (fault) {
    floor.log.error('a job failed; it runs again at its next time', {
      job: job.name,
      fault: fault instanceof Error ? (fault.stack ?? fault.message) : String(fault),
    });
  }
}
