import { Failure } from './core/failure.ts';
import type { PlatformServices } from './services.ts';
import type { WriteOp } from './store/operation.ts';

/** Recurring work. List it in src/app/jobs.ts. */
export interface Job<in Services = PlatformServices> {
  name: string;
  /** Seconds between the end of one run and the start of the next. */
  everyS: number;
  /** It erases things by age, so it waits while the clock may be wrong: it would erase everything. */
  erasesByAge?: true;
  /** Must end soon after `signal` aborts. A run that was cut off is repeated, so running twice must do no harm. */
  readonly run: (services: Services, signal: AbortSignal) => Promise<void>;
}

/** Most rows that a job removes in one transaction: more would delay other writes. */
export const JOB_BATCH = 500;

/** Longest rest between two steps, because a stop of the appliance waits for it. */
const REST_MS_MAX = 200;

/**
 * Repeats a step like `repeatUntilDone`, but rests after each as long as it took. For steps that keep the writer and the disk busy,
 * so that mail has half of their time.
 */
export function repeatAtHalfPace(signal: AbortSignal, step: () => Promise<number>): Promise<void> {
  return repeatUntilDone(signal, async () => {
    const beganMs = performance.now();
    const done = await step();
    const tookMs = performance.now() - beganMs;
    // Real time, even if a test has replaced the appliance's clock.
    if (done > 0) await new Promise((resolve) => setTimeout(resolve, Math.min(tookMs, REST_MS_MAX)));
    return done;
  });
}

/** Repeats a step, which returns the number of rows it has handled, until that is 0 or the signal aborts. */
export async function repeatUntilDone(signal: AbortSignal, step: () => Promise<number>): Promise<void> {
  while (!signal.aborted) {
    if ((await step()) === 0) return;
  }
}

/** Runs a write that can wait until the disk has room. Without room it returns 0, and the job's next run tries again. */
export async function writeWithRoom<Input>(
  { store }: PlatformServices,
  operation: WriteOp<Input, number>,
  input: Input,
): Promise<number> {
  if (store.reserve?.isSpent()) return 0;
  try {
    return await store.write(operation, input);
  } catch (fault) {
    if (fault instanceof Failure && fault.code === 'storage_unavailable') return 0;
    throw fault;
  }
}
