/** Time that a test moves by hand (core/clock.ts). */
import type { Cancel, Clock } from '../../src/core/clock.ts';

const START_US = Date.UTC(2026, 10, 21, 8) * 1000;

interface Timer {
  due_us: number;
  run: () => void;
}

export class FakeClock implements Clock {
  private readonly timers = new Set<Timer>();
  /** How far the wall clock was set away from the time that has passed. */
  private stepped_us = 0;

  constructor(private time_us = START_US) {}

  /** Awaited after each timer that ran: a test says here when what it began in the real world has ended. */
  settled: () => Promise<void> = settle;

  now_us(): number {
    return this.time_us;
  }

  elapsed_ms(): number {
    return (this.time_us - this.stepped_us - START_US) / 1000;
  }

  after(delay_ms: number, run: () => void): Cancel {
    const timer = { due_us: this.time_us + Math.max(0, delay_ms) * 1000, run };
    this.timers.add(timer);
    return () => void this.timers.delete(timer);
  }

  /** How many timers are set: none may be left behind by what has ended. */
  get timers_set(): number {
    return this.timers.size;
  }

  /**
   * Lets time pass: each timer that falls due runs at its own time, in order, those set meanwhile too. After
   * each one, what it began by promises goes on as far as it can without real waiting.
   */
  async advance(by_ms: number): Promise<void> {
    const until_us = this.time_us + by_ms * 1000;
    for (let timer = this.next(until_us); timer; timer = this.next(until_us)) {
      this.timers.delete(timer);
      this.time_us = Math.max(this.time_us, timer.due_us);
      timer.run();
      await this.settled();
    }
    this.time_us = until_us;
    await this.settled();
  }

  /** A long time passes at once: what fell due in it runs late, once, at its end. */
  async leap(by_ms: number): Promise<void> {
    this.time_us += by_ms * 1000;
    await this.advance(0);
  }

  /** The wall clock is set, forwards or back; no timer runs by it. */
  set(time_us: number): void {
    const step_us = time_us - this.time_us;
    for (const timer of this.timers) timer.due_us += step_us;
    this.stepped_us += step_us;
    this.time_us = time_us;
  }

  /** The earliest due; of those due together, the one set first (a Set keeps the order). */
  private next(until_us: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.timers) {
      if (timer.due_us <= until_us && (!first || timer.due_us < first.due_us)) first = timer;
    }
    return first;
  }
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
