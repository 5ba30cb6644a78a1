import type { Clock } from './clock.ts';

/** Less is a clock that is kept right, and no step. */
const STEP_MIN_US = 1_000_000;

/** Sees that the wall clock was set: by how much it went differently from the time that passed. */
export class ClockSteps {
  private offsetUs: number;
  private lookedUs: number;

  constructor(private readonly clock: Clock) {
    this.offsetUs = this.offset();
    this.lookedUs = clock.nowUs();
  }

  /**
   * Microseconds by which the clock was set since the last look, what it would show without, and what it would have
   * shown at that look; null when it was not set. What was written since the step has a time from `sinceUs` on.
   */
  look(): { byUs: number; beforeUs: number; sinceUs: number } | null {
    const nowUs = this.clock.nowUs();
    const offsetUs = this.offset();
    const byUs = offsetUs - this.offsetUs;
    const sinceUs = this.lookedUs + byUs;
    this.offsetUs = offsetUs;
    this.lookedUs = nowUs;
    // What slowly drifts must not add up to a step.
    if (Math.abs(byUs) < STEP_MIN_US) return null;
    return { byUs, beforeUs: nowUs - byUs, sinceUs };
  }

  private offset(): number {
    return Math.round(this.clock.nowUs() - this.clock.elapsedMs() * 1000);
  }
}
