import { Failure } from './core/failure.ts';
import type { PlatformServices } from './services.ts';
import type { WriteOp } from './store/operation.ts';

/** Recurring work. It ends soon after `signal` aborts, and running it twice does no harm. */
export interface Job<in Services = PlatformServices> {
  name: string;
  /** Seconds between the end of one run and the start of the next. */
  everyS: number;
  /** It erases what is older than some time: a clock that is wrong by years would have it erase everything. */
  erasesByAge?: true;
  readonly run: (services: Services, signal: AbortSignal) => Promise<void>;
}

/** Most rows that one transaction of a job removes: more would delay other writes. */
export const JOB_BATCH = 500;

/** Longest rest between two steps: a stop of the appliance waits for it. */
const REST_MS_MAX = 200;

/** The same for steps that keep the writer and the disk busy: rests as long as each step took, so mail gets half. */
export function repeatAtHalfPace(signal: AbortSignal, step: () => Promise<number>): Promise<void> {
  return repeatUntilDone(signal, async () => {
    const beganMs = performance.now();
    const done = await step();
    const tookMs = performance.now() - beganMs;
    // Real time, even where the appliance's clock is a test's.
    if (done > 0) await new Promise((resolve) => setTimeout(resolve, Math.min(tookMs, REST_MS_MAX)));
    return done;
  });
}

/** Repeats a step, which returns its number of rows, until it finds none or the signal aborts. */
export async function repeatUntilDone(signal: AbortSignal, step: () => Promise<number>): Promise<void> {
  while (!signal.aborted) {
    if ((await step()) === 0) return;
  }
}

/** Runs a write that can wait until the disk has room: without room it does nothing, and the next run tries again. */
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
