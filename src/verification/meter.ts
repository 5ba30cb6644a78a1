import { meterVerificationsOp } from '../accounts/writes.ts';
import type { Floor } from '../floor.ts';

/** Between two complaints about the same. */
const TELL_AGAIN_MS = 60_000;

/** Counts what was verified. What is counted while the store writes goes together in the next write. */
export class Meter {
  private waiting = new Map<number, number>();
  private next: Promise<void> | null = null;
  private last: Promise<void> = Promise.resolve();
  private told_ms = Number.NEGATIVE_INFINITY;

  constructor(private readonly floor: Pick<Floor, 'store' | 'log' | 'clock'>) {}

  /** Settles when it stands in the store; never rejects: that a disk is full is no reason to refuse a verdict. */
  count(account_no: number, addresses: number): Promise<void> {
    this.waiting.set(account_no, (this.waiting.get(account_no) ?? 0) + addresses);
    this.next ??= this.last.then(() => this.write());
    return this.next;
  }

  private write(): Promise<void> {
    const counts = Array.from(this.waiting, ([account_no, addresses]) => ({ account_no, addresses }));
    this.waiting = new Map();
    this.next = null;
    const { store } = this.floor;
    this.last = store.write(meterVerificationsOp, { counts }).catch((fault) => this.tell(fault));
    return this.last;
  }

  private tell(fault: unknown): void {
    const now_ms = this.floor.clock.elapsed_ms();
    if (now_ms - this.told_ms < TELL_AGAIN_MS) return;
    this.told_ms = now_ms;
    this.floor.log.warn('verifications could not be metered', { fault: String(fault) });
  }
}
