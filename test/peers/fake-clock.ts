/** Time that a test moves by hand (platform/core/clock.ts). */
import type { Cancel, Clock } from '../../src/platform/core/clock.ts';

const START_US = Date.UTC(2026, 10, 21, 8) * 1000;

interface Timer {
  dueUs: number;
  run: () => void;
}

export class FakeClock implements Clock {
  private readonly timers = new Set<Timer>();
  /** How far the wall clock was set away from the time that has passed. */
  private steppedUs = 0;

  constructor(private timeUs = START_US) {}

  /** Awaited after each timer that ran: a test says here when what it began in the real world has ended. */
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

  /** How many timers are set: none may be left behind by what has ended. */
  get timersSet(): number {
    return this.timers.size;
  }

  /**
   * Lets time pass: each timer that falls due runs at its own time, in order, those set meanwhile too. After
   * each one, what it began by promises goes on as far as it can without real waiting.
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

  /** A long time passes at once: what fell due in it runs late, once, at its end. */
  async leap(byMs: number): Promise<void> {
    this.timeUs += byMs * 1000;
    await this.advance(0);
  }

  /** The wall clock is set, forwards or back; no timer runs by it. */
  set(timeUs: number): void {
    const stepUs = timeUs - this.timeUs;
    for (const timer of this.timers) timer.dueUs += stepUs;
    this.steppedUs += stepUs;
    this.timeUs = timeUs;
  }

  /** The earliest due; of those due together, the one set first (a Set keeps the order). */
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
