import type { Clock } from '../core/clock.ts';

/** Less is a clock that is kept right, and no step. */
const STEP_MIN_US = 1_000_000;

/** Sees that the wall clock was set: by how much it went differently from the time that passed. */
export class ClockSteps {
  private offset_us: number;

  constructor(private readonly clock: Clock) {
    this.offset_us = this.offset();
  }

  /** Microseconds by which the clock was set since the last look, and what it would show without; null when it was not. */
  look(): { by_us: number; before_us: number } | null {
    const offset_us = this.offset();
    const by_us = offset_us - this.offset_us;
    // What slowly drifts must not add up to a step.
    if (Math.abs(by_us) < STEP_MIN_US) {
      this.offset_us = offset_us;
      return null;
    }
    this.offset_us = offset_us;
    return { by_us, before_us: this.clock.now_us() - by_us };
  }

  private offset(): number {
    return Math.round(this.clock.now_us() - this.clock.elapsed_ms() * 1000);
  }
}
