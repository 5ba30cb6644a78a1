import { Alarm } from '../../platform/core/alarm.ts';
import { deliveries as rules } from '../../rules/deliveries.ts';
import type { Webhook } from './sql.ts';

/** proven: answered 2xx since the start and has not failed since; fresh: nothing is known yet. */
export type WebhookLaneKind = 'proven' | 'failing' | 'fresh';

/** What the dispatcher knows about a webhook: its deliveries in flight and the outcome of recent attempts. */
export class WebhookLane {
  /** The row numbers of deliveries being sent. */
  readonly sending = new Set<number>();
  /** The row numbers of deliveries whose result is not stored yet. */
  readonly settling = new Set<number>();
  /** The account of the webhook. */
  readonly accounts: ReadonlySet<number>;
  /** Whether its last delivery since the start was accepted. */
  isTrusted = false;
  /** While the breaker is open, no attempt is made before this time of the wall clock. */
  probeAt = 0;
  /** When its last attempt began (performance.now()). */
  beganMs = Number.NEGATIVE_INFINITY;
  /** Wakes it when its next delivery is due, or its breaker allows an attempt. */
  readonly alarm = new Alarm();
  private pause: Timer | null = null;

  constructor(
    readonly webhookNo: number,
    readonly accountNo: number,
  ) {
    this.accounts = new Set([accountNo]);
  }

  get busy(): number {
    return this.sending.size + this.settling.size;
  }

  get inFlight(): number[] {
    return [...this.sending, ...this.settling];
  }

  classify({ failures }: Pick<Webhook, 'failures'>): WebhookLaneKind {
    if (failures > 0) return 'failing';
    return this.isTrusted ? 'proven' : 'fresh';
  }

  /**
   * Returns the microseconds until the webhook may have one more attempt: 0 if it may now, null if an attempt in flight
   * must finish first. While the breaker is open, attempts are made one at a time, with a pause after each. A webhook
   * that has not succeeded yet also gets one at a time.
   */
  findDelay({ failures }: Pick<Webhook, 'failures'>, nowUs: number): number | null {
    // An unproven webhook's result must be known first: it may be the failure that opens the breaker.
    if (this.classify({ failures }) !== 'proven' && this.busy > 0) return null;
    return failures >= rules.breakerFailures ? Math.max(0, this.probeAt - nowUs) : 0;
  }

  clearTimers(): void {
    this.alarm.clear();
    if (this.pause) clearTimeout(this.pause);
    this.pause = null;
  }

  begin(deliveryNo: number): void {
    this.sending.add(deliveryNo);
    this.beganMs = performance.now();
  }

  /** Pauses this webhook, to leave the machine to incoming mail. Returns false if there is nothing to wait for. */
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
