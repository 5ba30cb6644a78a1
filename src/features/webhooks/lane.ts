import type { Cancel, Clock } from '../../platform/core/clock.ts';
import { deliveries as rules } from '../../rules/deliveries.ts';
import type { Webhook } from './sql.ts';

/** proven: answered 2xx since the start and has not failed after; fresh: nothing is known yet. */
export type WebhookLaneKind = 'proven' | 'failing' | 'fresh';

/** What the dispatcher knows of a webhook: its deliveries in flight and the outcome of recent attempts. */
export class WebhookLane {
  /** Numbers of deliveries being sent, and of those whose result is not stored yet. */
  readonly sending = new Set<number>();
  readonly settling = new Set<number>();
  /** The account of the webhook; 0 until its row is read. */
  accountNo = 0;
  /** Its last delivery since the start was accepted. */
  trusted = false;
  /** With the breaker open: no attempt before this, wall clock. */
  probeAt = 0;
  /** When its last attempt began, performance.now(). */
  beganMs = Number.NEGATIVE_INFINITY;
  private alarm: Cancel | null = null;
  private pause: Timer | null = null;

  constructor(readonly webhookNo: number) {}

  get busy(): number {
    return this.sending.size + this.settling.size;
  }

  get underWay(): number[] {
    return [...this.sending, ...this.settling];
  }

  classify({ failures }: Pick<Webhook, 'failures'>): WebhookLaneKind {
    if (failures > 0) return 'failing';
    return this.isProven(failures) ? 'proven' : 'fresh';
  }

  isProven(failures: number): boolean {
    return this.trusted && failures === 0;
  }

  /**
   * Microseconds until a webhook that is not full may have one more attempt: 0 is now, null when an attempt in flight has
   * to finish first. With the breaker open, attempts are made one at a time with a pause after each. A webhook that has
   * not succeeded yet also gets one at a time.
   */
  roomIn(failures: number, nowUs: number): number | null {
    // An unproven webhook's result must be known first: it may be the failure that opens the breaker.
    if (!this.isProven(failures) && this.busy > 0) return null;
    return failures >= rules.breaker_failures ? Math.max(0, this.probeAt - nowUs) : 0;
  }

  /** Replaces the previous alarm, if any. */
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
    if (this.pause) clearTimeout(this.pause);
    this.pause = null;
  }

  begin(deliveryNo: number): void {
    this.sending.add(deliveryNo);
    this.beganMs = performance.now();
  }

  /** Leaves the machine to incoming mail for this long; false when there is nothing to wait for. */
  pauseFor(ms: number, ring: () => void): boolean {
    if (ms <= 0) return false;
    this.pause = setTimeout(() => {
      this.pause = null;
      ring();
    }, ms);
    return true;
  }

  get isPaused(): boolean {
    return this.pause !== null;
  }
}
