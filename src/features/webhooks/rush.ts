import { deliveries as rules } from '../../rules/deliveries.ts';

/**
 * Whether more mail arrives than can be delivered beside it. Then the mail goes first, and each webhook has one delivery at
 * a time; what waits is sent when the rush is over. Times are performance.now(): it is about work, not about the clock.
 */
export class Rush {
  /** Of the newest arrivals, the oldest next to be replaced. */
  private readonly times = new Float64Array(rules.rush_messages).fill(Number.NEGATIVE_INFINITY);
  private next = 0;

  note(nowMs = performance.now()): void {
    this.times[this.next] = nowMs;
    this.next = (this.next + 1) % this.times.length;
  }

  isOn(nowMs = performance.now()): boolean {
    return nowMs - this.times[this.next]! < rules.rush_within_s * 1000;
  }
}
