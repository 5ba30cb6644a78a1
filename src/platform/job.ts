import type { PlatformServices } from './services.ts';

/** Work that comes back by itself. It ends soon after `signal` aborts, and may run twice without harm. */
export interface Job<in Services = PlatformServices> {
  name: string;
  /** Seconds between the end of one run and the start of the next. */
  everyS: number;
  readonly run: (services: Services, signal: AbortSignal) => Promise<void>;
}

/** Rows that one transaction of a job removes at most: more would hold back those who wait for the writer. */
export const JOB_BATCH = 500;

/** The longest rest between two steps: a stop of the appliance waits for it. */
const REST_MS_MAX = 200;

/**
 * The same for steps that keep the writer and the disk busy: after each it rests as long as that took, so that mail
 * which comes meanwhile has half of both.
 */
export function untilNoneGently(signal: AbortSignal, step: () => Promise<number>): Promise<void> {
  return untilNone(signal, async () => {
    const beganMs = performance.now();
    const done = await step();
    const tookMs = performance.now() - beganMs;
    // The time of this machine, whatever the appliance's clock says.
    if (done > 0) await new Promise((resolve) => setTimeout(resolve, Math.min(tookMs, REST_MS_MAX)));
    return done;
  });
}

/** Runs a step that gives how many rows it did, until it finds none or the signal aborts. */
export async function untilNone(signal: AbortSignal, step: () => Promise<number>): Promise<void> {
  while (!signal.aborted) {
    if ((await step()) === 0) return;
  }
}
