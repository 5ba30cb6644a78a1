import type { ClockStep } from '../../platform/core/clock-watch.ts';
import { JOB_BATCH } from '../../platform/job.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { type PendingPage, type PendingPlace, rebaseOp, recoverDeliveriesOp } from './writes.ts';

/**
 * Moves the due times of pending deliveries after the clock was set, and at start: in steps, so that mail can be stored
 * between them. Changes of the clock are applied one after another. A crash leaves the rest for the next start.
 */
export class DueTimes {
  private moves = 0;
  private last: Promise<void> = Promise.resolve();
  /** Deliveries whose results were stored since the oldest change that is still in progress. */
  private readonly stored: number[] = [];
  private isStopped = false;

  constructor(
    private readonly services: PlatformServices,
    private readonly onMoved: () => void,
  ) {}

  get isMoving(): boolean {
    return this.moves > 0;
  }

  stop(): void {
    this.isStopped = true;
  }

  /** Must be called before a result is stored: its delivery then has the new time already. */
  noteStored(deliveryNo: number): void {
    if (this.isMoving) this.stored.push(deliveryNo);
  }

  /** Corrects due times at start: the clock may have been set while the server was down. */
  recover(): void {
    this.move((page) => this.services.store.write(recoverDeliveriesOp, page));
  }

  rebase(step: ClockStep): void {
    const { clock, store } = this.services;
    const nowUs = clock.nowUs();
    const beganMs = clock.elapsedMs();
    const storedBefore = this.stored.length;
    this.move((page) =>
      store.write(rebaseOp, {
        ...step,
        ...page,
        nowUs: nowUs + (clock.elapsedMs() - beganMs) * 1000,
        stored: this.stored.slice(storedBefore),
      }),
    );
  }

  private move(moveSome: (page: PendingPage) => Promise<PendingPlace | null>): void {
    const moveAll = async () => {
      let after: PendingPlace | null = null;
      do after = await moveSome({ after, max: JOB_BATCH });
      while (after !== null && !this.isStopped);
    };
    this.moves += 1;
    this.last = this.last
      .then(moveAll)
      .catch((fault: unknown) =>
        this.services.log.warn(
          'the due times of pending webhook deliveries could not be moved with the clock',
          {
            fault: String(fault),
          },
        ),
      )
      .then(() => {
        this.moves -= 1;
        if (this.isMoving) return;
        this.stored.length = 0;
        this.onMoved();
      });
  }
}
