import { type Cancel, type Clock, SECOND_US } from './clock.ts';

/** A smaller difference is a time server keeping the clock accurate, not a step. */
const STEP_MIN_US = SECOND_US;

const LOOK_MS = 10_000;

/** The wall clock was set. */
export interface ClockStep {
  /** How far it was set forward; negative if it was set back. */
  byUs: number;
  /** What it would show now without the step. */
  beforeUs: number;
  /** The time of the last look, by the new clock: whatever was written since has a time from there on. */
  sinceUs: number;
}

/**
 * Returns a function that says by how many microseconds the wall clock was set since this call: what a time that was computed
 * before needs to be the same moment by the clock as it is set now.
 */
export function measureSteps(clock: Clock): () => number {
  const before = readOffset(clock);
  return () => {
    const byUs = readOffset(clock) - before;
    return Math.abs(byUs) < STEP_MIN_US ? 0 : byUs;
  };
}

/** Returns what the wall clock would have shown when the monotonic clock began. */
const readOffset = (clock: Clock) => Math.round(clock.nowUs() - clock.elapsedMs() * 1000);

/**
 * Notices when the wall clock is set, by comparing it with the monotonic clock: every ten seconds once it is started,
 * and at each call of `look`.
 */
export class ClockWatch {
  private offsetUs: number;
  private lookedUs: number;
  private cancel: Cancel = () => {};

  constructor(
    private readonly clock: Clock,
    private readonly onStep: (step: ClockStep) => void,
  ) {
    this.offsetUs = readOffset(clock);
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

  /** Compares the clocks now. If there was a step since the last look, reports it before it returns. */
  look(): void {
    const nowUs = this.clock.nowUs();
    const offsetUs = readOffset(this.clock);
    const byUs = offsetUs - this.offsetUs;
    const sinceUs = this.lookedUs + byUs;
    this.offsetUs = offsetUs;
    this.lookedUs = nowUs;
    // A slow drift must not add up to a step.
    if (Math.abs(byUs) >= STEP_MIN_US) this.onStep({ byUs, beforeUs: nowUs - byUs, sinceUs });
  }
}
