import type { Floor } from './floor.ts';

/** Work that comes back by itself. It ends soon after `signal` aborts, and may run twice without harm. */
export interface Job {
  name: string;
  /** Seconds between the end of one run and the start of the next. */
  every_s: number;
  run(floor: Floor, signal: AbortSignal): Promise<void>;
}

/** Rows that one transaction of a job removes at most: more would hold back those who wait for the writer. */
export const JOB_BATCH = 500;

/** Runs a step that gives how many rows it did, until it finds none or the signal aborts. */
export async function untilNone(signal: AbortSignal, step: () => Promise<number>): Promise<void> {
  while (!signal.aborted) {
    if ((await step()) === 0) return;
  }
}
