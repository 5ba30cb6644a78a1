/** A clock that a test moves by hand (platform/core/clock.ts). */
import type { Cancel, Clock } from '../../src/platform/core/clock.ts';

const START_US = Date.UTC(2026, 10, 21, 8) * 1000;

interface Timer {
  dueUs: number;
  run: () => void;
}

export class FakeClock implements Clock {
  private readonly timers = new Set<Timer>();
  /** How far the wall clock has been set away from the time that passed. */
  private steppedUs = 0;

  constructor(private timeUs = START_US) {}

  /** Awaited after each timer, so that a test can wait for real work that the timer started. */
  settled: () => Promise<void> = settle;

  nowUs(): number {
    return this.timeUs;
  }

  elapsedMs(): number {
    return (this.timeUs - this.steppedUs - START_US) / 1000;
  }

  after(delayMs: number, run: () => void): Cancel {
    const timer = { dueUs: this.timeUs + Math.max(0, delayMs) * 1000, run };
    this.timers.add(timer);
    return () => void this.timers.delete(timer);
  }

  /** The number of timers that are set. Work that has ended must leave none behind. */
  get timersSet(): number {
    return this.timers.size;
  }

  /**
   * Lets time pass. Each timer that falls due runs at its own time, in order, including those that are set meanwhile.
   * After each one, its promises continue as far as they can without real waiting.
   */
  async advance(byMs: number): Promise<void> {
    const untilUs = this.timeUs + byMs * 1000;
    for (let timer = this.next(untilUs); timer; timer = this.next(untilUs)) {
      this.timers.delete(timer);
      this.timeUs = Math.max(this.timeUs, timer.dueUs);
      timer.run();
      await this.settled();
    }
    this.timeUs = untilUs;
    await this.settled();
  }

  /** Lets a long time pass in one step. Timers that fell due in it run once, late, at its end. */
  async leap(byMs: number): Promise<void> {
    this.timeUs += byMs * 1000;
    await this.advance(0);
  }

  /** Sets the wall clock forward or back, and runs no timer. */
  set(timeUs: number): void {
    const stepUs = timeUs - this.timeUs;
    for (const timer of this.timers) timer.dueUs += stepUs;
    this.steppedUs += stepUs;
    this.timeUs = timeUs;
  }

  /** Returns the timer that is due first; of several, the one that was set first (a Set keeps the order). */
  private next(untilUs: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.timers) {
      if (timer.dueUs <= untilUs && (!first || timer.dueUs < first.dueUs)) first = timer;
    }
    return first;
  }
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
