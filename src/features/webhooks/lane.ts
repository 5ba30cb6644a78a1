import type { Cancel, Clock } from '../../platform/core/clock.ts';
import { deliveries as rules } from '../../rules/deliveries.ts';

/** A webhook as the dispatcher knows it: what is under way for it, and what the last attempts say. */
export class WebhookLane {
  /** Numbers of deliveries that are being sent, and of those whose result is not stored yet. */
  readonly sending = new Set<number>();
  readonly settling = new Set<number>();
  /** It has taken a delivery since the start, and refused none after. */
  trusted = false;
  /** With the breaker open: no attempt before this, wall clock. */
  probeAt = 0;
  private alarm: Cancel | null = null;

  constructor(readonly inboxNo: number) {}

  get busy(): number {
    return this.sending.size + this.settling.size;
  }

  has(deliveryNo: number): boolean {
    return this.sending.has(deliveryNo) || this.settling.has(deliveryNo);
  }

  isProven(failures: number): boolean {
    return this.trusted && failures === 0;
  }

  /**
   * Microseconds until it may have one more attempt: 0 is now, null when one that is under way ends. With the breaker
   * open, one at a time and each a while after the last; the same one at a time for who has not shown that it answers.
   */
  roomIn(failures: number, isCrowded: boolean, nowUs: number): number | null {
    const most = isCrowded ? 1 : rules.at_once_of_hook;
    // Of the others, the result must be known first: it may be the failure that opens the breaker.
    if (this.isProven(failures) ? this.sending.size >= most : this.busy > 0) return null;
    return failures >= rules.breaker_failures ? Math.max(0, this.probeAt - nowUs) : 0;
  }

  /** One alarm at most: the last one set. */
  setAlarm(clock: Clock, delayUs: number, ring: () => void): void {
    this.alarm?.();
    this.alarm = clock.after(Math.ceil(delayUs / 1000), () => {
      this.alarm = null;
      ring();
    });
  }

  clearAlarm(): void {
    this.alarm?.();
    this.alarm = null;
  }
}
