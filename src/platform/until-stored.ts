import { sleep } from './core/sleep.ts';
import type { PlatformServices } from './services.ts';

/** Pause before a write that could not be stored is repeated. */
const RETRY_WRITE_MS = 2_000;

/**
 * Repeats a write until it is stored: a disk may refuse it for days. Logs `warning` each time. Returns null if `stop` aborts first.
 */
export async function untilStored<Output>(
  { clock, log }: Pick<PlatformServices, 'clock' | 'log'>,
  { stop, warning }: { stop: AbortSignal; warning: string },
  write: () => Promise<Output>,
): Promise<Output | null> {
  while (!stop.aborted) {
    try {
      return await write();
    } catch (fault) {
      if (stop.aborted) break;
      log.warn(warning, { fault: String(fault) });
      await sleep(clock, RETRY_WRITE_MS, stop);
    }
  }
  return null;
}
