import type { ClockStep } from './core/clock-watch.ts';
import { JOB_BATCH } from './job.ts';
import type { PlatformServices } from './services.ts';
import type { WriteOp } from './store/operation.ts';

/** At most `max` rows of a queue: the next ones after a place, or the first ones. */
export interface QueuePage<Place> {
  after: Place | null;
  max: number;
}

/** A page to move after the wall clock was set. */
export interface QueueRebase<Place> extends QueuePage<Place>, ClockStep {
  /** Now, by the clock as this step set it, even if it has been set again since. */
  nowUs: number;
  /** Rows whose results were stored since the step: they already have the new time. */
  stored: readonly number[];
}

/** How to move the due times of a queue. Each write returns where the next one continues, or null at the end. */
export interface QueueMoves<Place> {
  readonly recover: WriteOp<QueuePage<Place>, Place | null>;
  readonly rebase: WriteOp<QueueRebase<Place>, Place | null>;
  /** What is logged if one fails. */
  readonly warning: string;
}

/**
 * Moves the due times of a queue after the clock was set, and at start: in steps, so that mail can be stored between them. Changes of
 * the clock are applied one after another. A crash leaves the rest for the next start.
 */
export class DueTimes<Place> {
  private changes = 0;
  private last: Promise<void> = Promise.resolve();
  /** Rows whose results were stored since the oldest change that is still in progress. */
  private readonly stored: number[] = [];
  private isStopped = false;

  constructor(
    private readonly services: PlatformServices,
    private readonly moves: QueueMoves<Place>,
    private readonly onMoved: () => void,
  ) {}

  get isMoving(): boolean {
    return this.changes > 0;
  }

  stop(): void {
    this.isStopped = true;
  }

  /** Must be called before a result is stored: its row then has the new time already. */
  noteStored(no: number): void {
    if (this.isMoving) this.stored.push(no);
  }

  /** Corrects due times at start: the clock may have been set while the server was down. */
  recover(): void {
    this.move((page) => this.services.store.write(this.moves.recover, page));
  }

  rebase(step: ClockStep): void {
    const { clock, store } = this.services;
    const nowUs = clock.nowUs();
    const beganMs = clock.elapsedMs();
    const storedBefore = this.stored.length;
    this.move((page) =>
      store.write(this.moves.rebase, {
        ...step,
        ...page,
        nowUs: nowUs + (clock.elapsedMs() - beganMs) * 1000,
        stored: this.stored.slice(storedBefore),
      }),
    );
  }

  private move(moveSome: (page: QueuePage<Place>) => Promise<Place | null>): void {
    const moveAll = async () => {
      let after: Place | null = null;
      do after = await moveSome({ after, max: JOB_BATCH });
      while (after !== null && !this.isStopped);
    };
    this.changes += 1;
    this.last = this.last
      .then(moveAll)
      .catch((fault: unknown) => this.services.log.warn(this.moves.warning, { fault: String(fault) }))
      .then(() => {
        this.changes -= 1;
        if (this.isMoving) return;
        this.stored.length = 0;
        this.onMoved();
      });
  }
}
