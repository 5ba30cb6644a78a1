import type { Cancel } from '../../../platform/core/clock.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import { meterVerificationsOp } from './writes.ts';

type Needed = Pick<PlatformServices, 'store' | 'log' | 'clock'>;

export interface MeterServices extends PlatformServices {
  readonly meter: Meter;
}

/** Minimum time between two warnings. */
const TELL_AGAIN_MS = 60_000;

/** Counts of this time are written together: each write makes every reader re-read from disk. */
const GATHER_MS = 100;

/**
 * Counts verifications without a wait for the disk. A failed write is retried with the next one; a crash loses what
 * was counted since the last write.
 */
export class Meter {
  private waiting = new Map<number, number>();
  private writing: Promise<void> | null = null;
  private due: Cancel | null = null;
  private toldMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly services: Needed) {}

  count(accountNo: number, addresses: number): void {
    this.waiting.set(accountNo, (this.waiting.get(accountNo) ?? 0) + addresses);
    this.due ??= this.services.clock.after(GATHER_MS, () => void this.settled());
  }

  /** Writes at once. Settles when everything counted so far is stored or could not be. */
  settled(): Promise<void> {
    this.due?.();
    this.due = null;
    if (!this.writing && this.waiting.size > 0) this.writing = this.writeAll();
    return this.writing ?? Promise.resolve();
  }

  private async writeAll(): Promise<void> {
    try {
      while (this.waiting.size > 0) await this.write();
    } catch (fault) {
      this.tell(fault);
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

  private tell(fault: unknown): void {
    const nowMs = this.services.clock.elapsedMs();
    if (nowMs - this.toldMs < TELL_AGAIN_MS) return;
    this.toldMs = nowMs;
    this.services.log.warn('verifications could not be metered; will retry', { fault: String(fault) });
  }
}
