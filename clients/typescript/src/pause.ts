/** Pauses that an AbortSignal can end, and signals with a time limit. */

/** Pauses before a request is repeated, in milliseconds. The last one repeats. */
const PAUSES_MS = [100, 300, 900, 2_000];
/** How often a plain request is repeated. */
export const RETRIES_MAX = PAUSES_MS.length;

/** The pause before the nth repetition (from 0). It has jitter, so that many clients don't retry at once. */
export function pauseBefore(retry: number): number {
  const pause = PAUSES_MS[Math.min(retry, PAUSES_MS.length - 1)] ?? 0;
  return pause * (0.8 + 0.4 * Math.random());
}

/** Resolves after a time. Rejects with the signal's reason as soon as the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** An AbortSignal for one request, with a time limit that can be restarted. */
export class Deadline {
  private readonly controller = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly onAbort: () => void;

  constructor(
    private readonly ms: number,
    private readonly outer?: AbortSignal,
  ) {
    this.onAbort = () => this.controller.abort(this.outer?.reason);
    if (outer?.aborted) this.onAbort();
    else outer?.addEventListener('abort', this.onAbort, { once: true });
    this.renew();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Whether the caller gave up, rather than the time limit. */
  get isCancelled(): boolean {
    return this.outer?.aborted === true;
  }

  renew(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.controller.abort(new Error('no answer in time')), this.ms);
  }

  /** Aborts everything that still runs under the signal. */
  abort(): void {
    this.end();
    this.controller.abort();
  }

  end(): void {
    clearTimeout(this.timer);
    this.outer?.removeEventListener('abort', this.onAbort);
  }
}
