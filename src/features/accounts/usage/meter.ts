import type { Cancel } from '../../../platform/core/clock.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import { meterVerificationsOp } from './writes.ts';

type Needed = Pick<PlatformServices, 'store' | 'log' | 'clock'>;

export interface MeterServices extends PlatformServices {
  readonly meter: Meter;
}

/** Minimum time between two warnings. */
const WARN_EVERY_MS = 60_000;

/**
 * Counts are collected for this long and written together, because each write makes every reader read from disk again.
 */
const COLLECT_MS = 100;

/**
 * Counts verifications without waiting for the disk. A failed write is retried with the next one. A crash loses the
 * counts since the last write.
 */
export class Meter {
  private waiting = new Map<number, number>();
  private writing: Promise<void> | null = null;
  private due: Cancel | null = null;
  private warnedAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly services: Needed) {}

  count(accountNo: number, addresses: number): void {
    this.waiting.set(accountNo, (this.waiting.get(accountNo) ?? 0) + addresses);
    this.due ??= this.services.clock.after(COLLECT_MS, () => void this.flush());
  }

  /** Writes now. Resolves when everything counted so far is stored, or when the store has refused it. */
  flush(): Promise<void> {
    this.due?.();
    this.due = null;
    if (!this.writing && this.waiting.size > 0) this.writing = this.writeAll();
    return this.writing ?? Promise.resolve();
  }

  private async writeAll(): Promise<void> {
    try {
      while (this.waiting.size > 0) await this.write();
    } catch (fault) {
      this.warn(fault);
    } finally {
      this.writing = null;
    }
  }

  private async write(): Promise<void> {
    const taken = this.waiting;
    this.waiting = new Map();
    const counts = Array.from(taken, ([accountNo, addresses]) => ({ account_no: accountNo, addresses }));
    try {
      await this.services.store.write(meterVerificationsOp, { counts });
    } catch (fault) {
      for (const [accountNo, addresses] of taken) {
        this.waiting.set(accountNo, (this.waiting.get(accountNo) ?? 0) + addresses);
      }
      throw fault;
    }
  }

  private warn(fault: unknown): void {
    const nowMs = this.services.clock.elapsedMs();
    if (nowMs - this.warnedAtMs < WARN_EVERY_MS) return;
    this.warnedAtMs = nowMs;
    this.services.log.warn('verifications could not be metered; will retry', { fault: String(fault) });
  }
}
