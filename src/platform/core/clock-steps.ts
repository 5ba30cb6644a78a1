import type { Clock } from './clock.ts';

/** Less is a clock that is kept right, and no step. */
const STEP_MIN_US = 1_000_000;

/** Sees that the wall clock was set: by how much it went differently from the time that passed. */
export class ClockSteps {
  private offsetUs: number;

  constructor(private readonly clock: Clock) {
    this.offsetUs = this.offset();
  }

  /** Microseconds by which the clock was set since the last look, and what it would show without; null when it was not. */
  look(): { byUs: number; beforeUs: number } | null {
    const offsetUs = this.offset();
    const byUs = offsetUs - this.offsetUs;
    // What slowly drifts must not add up to a step.
    if (Math.abs(byUs) < STEP_MIN_US) {
      this.offsetUs = offsetUs;
      return null;
    }
    this.offsetUs = offsetUs;
    return { byUs, beforeUs: this.clock.nowUs() - byUs };
  }

  private offset(): number {
    return Math.round(this.clock.nowUs() - this.clock.elapsedMs() * 1000);
  }
}
