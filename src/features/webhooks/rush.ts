import { deliveries as rules } from '../../rules/deliveries.ts';
import type { WebhookLane } from './lane.ts';

type Lane = Pick<WebhookLane, 'accountNo' | 'beganMs'>;

/** How many accounts are watched at a time; each takes 4 KB. */
const ACCOUNTS_MAX = 1_000;

/**
 * Notices accounts that get messages faster than their webhooks can be called. Mail then takes priority: each of their
 * webhooks gets one delivery at a time, with a pause while mails wait for the store. The rest is sent when the rush is
 * over. A flood for one account slows down no other. Times are performance.now(), because only the pace of work
 * matters.
 */
export class Rushes {
  private readonly accounts = new Map<number, Rush>();

  note(accountNo: number, nowMs = performance.now()): void {
    let rush = this.accounts.get(accountNo);
    if (!rush) {
      if (this.accounts.size >= ACCOUNTS_MAX) this.accounts.clear();
      rush = new Rush();
      this.accounts.set(accountNo, rush);
    }
    rush.note(nowMs);
  }

  isOn(accountNo: number, nowMs = performance.now()): boolean {
    return this.accounts.get(accountNo)?.isOn(nowMs) ?? false;
  }

  /** Returns the milliseconds until a webhook may have its next attempt. */
  pauseMs({ accountNo, beganMs }: Lane, writesWaiting: number, nowMs = performance.now()): number {
    if (writesWaiting < rules.rushWritesWaiting || !this.isOn(accountNo, nowMs)) return 0;
    return Math.max(0, beganMs + rules.rushPauseMs - nowMs);
  }
}

class Rush {
  /** A ring of the newest messages' times. The oldest is replaced next. */
  private readonly times = new Float64Array(rules.rushMessages).fill(Number.NEGATIVE_INFINITY);
  private next = 0;

  note(nowMs: number): void {
    this.times[this.next] = nowMs;
    this.next = (this.next + 1) % this.times.length;
  }

  isOn(nowMs: number): boolean {
    return nowMs - this.times[this.next]! < rules.rushWithinS * 1000;
  }
}
