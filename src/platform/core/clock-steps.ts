import type { Clock } from './clock.ts';

/** A smaller difference is a clock being kept accurate, not a step. */
const STEP_MIN_US = 1_000_000;

/** Detects that the wall clock was set, by comparing it with the monotonic clock. */
export class ClockSteps {
  private offsetUs: number;
  private lookedUs: number;

  constructor(private readonly clock: Clock) {
    this.offsetUs = this.offset();
    this.lookedUs = clock.nowUs();
  }

  /**
   * Compares the clocks; null when the wall clock was not set since the last call. `byUs`: by how much it was set, in
   * microseconds; `beforeUs`: what it would show now without that; `sinceUs`: what the last call would have been in the
   * new time, so that everything written since the step has a time from there on.
   */
  look(): { byUs: number; beforeUs: number; sinceUs: number } | null {
    const nowUs = this.clock.nowUs();
    const offsetUs = this.offset();
    const byUs = offsetUs - this.offsetUs;
    const sinceUs = this.lookedUs + byUs;
    this.offsetUs = offsetUs;
    this.lookedUs = nowUs;
    // A slow drift must not add up to a step.
    if (Math.abs(byUs) < STEP_MIN_US) return null;
    return { byUs, beforeUs: nowUs - byUs, sinceUs };
  }

  private offset(): number {
    return Math.round(this.clock.nowUs() - this.clock.elapsedMs() * 1000);
  }
}
