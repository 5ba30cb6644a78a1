import type { Cancel, Clock } from './clock.ts';

/** Rings once, at the last time that was set. */
export class Alarm {
  private cancel: Cancel | null = null;

  /** Replaces the time that was set before. */
  set(clock: Clock, delayUs: number, ring: () => void): void {
    this.clear();
    this.cancel = clock.after(Math.ceil(delayUs / 1000), () => {
      this.cancel = null;
      ring();
    });
  }

  clear(): void {
    this.cancel?.();
    this.cancel = null;
  }
}
