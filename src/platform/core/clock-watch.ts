import type { Cancel, Clock } from './clock.ts';

/** A smaller difference is a clock being kept accurate, not a step. */
const STEP_MIN_US = 1_000_000;

const LOOK_MS = 10_000;

/** In microseconds. */
export interface ClockStep {
  /** How far the wall clock was set; negative: back. */
  byUs: number;
  /** What it would show now without that. */
  beforeUs: number;
  /** What the last look would have been in the new time, so that everything written since has a time from there on. */
  sinceUs: number;
}

/**
 * Notices that the wall clock was set, by comparing it with the monotonic clock: every ten seconds once it is started,
 * and whenever somebody looks.
 */
export class ClockWatch {
  private offsetUs: number;
  private lookedUs: number;
  private cancel: Cancel = () => {};

  constructor(
    private readonly clock: Clock,
    private readonly onStep: (step: ClockStep) => void,
  ) {
    this.offsetUs = this.offset();
    this.lookedUs = clock.nowUs();
  }

  start(): void {
    this.cancel = this.clock.after(LOOK_MS, () => {
      this.look();
      this.start();
    });
  }

  stop(): void {
    this.cancel();
  }

  /** Reports a step since the last look, before it returns. */
  look(): void {
    const nowUs = this.clock.nowUs();
    const offsetUs = this.offset();
    const byUs = offsetUs - this.offsetUs;
    const sinceUs = this.lookedUs + byUs;
    this.offsetUs = offsetUs;
    this.lookedUs = nowUs;
    // A slow drift must not add up to a step.
    if (Math.abs(byUs) >= STEP_MIN_US) this.onStep({ byUs, beforeUs: nowUs - byUs, sinceUs });
  }

  private offset(): number {
    return Math.round(this.clock.nowUs() - this.clock.elapsedMs() * 1000);
  }
}
