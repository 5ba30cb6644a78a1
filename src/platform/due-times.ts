import type { ClockStep } from './core/clock-watch.ts';
import { JOB_BATCH } from './job.ts';
import type { PlatformServices } from './services.ts';
import type { WriteOp } from './store/operation.ts';
import { untilStored } from './until-stored.ts';

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
  /** What is logged if one fails, before it is repeated. */
  readonly warning: string;
}

/**
 * Moves the due times of a queue after the clock was set, and at start: in steps, so that mail can be stored between them. Changes of
 * the clock are applied one after another. A step that the disk refuses is repeated. A crash leaves the rest for the next start.
 */
export class DueTimes<Place> {
  /** The changes in progress: for each, the rows whose results were stored since. */
  private readonly changes = new Set<Set<number>>();
  private last: Promise<void> = Promise.resolve();
  private readonly stopping = new AbortController();

  constructor(
    private readonly services: PlatformServices,
    private readonly moves: QueueMoves<Place>,
    private readonly onMoved: () => void,
  ) {}

  get isMoving(): boolean {
    return this.changes.size > 0;
  }

  stop(): void {
    this.stopping.abort();
  }

  /** Must be called before a result is stored: its row then has the new time already. */
  noteStored(no: number): void {
    for (const stored of this.changes) stored.add(no);
  }

  /** Corrects due times at start: the clock may have been set while the server was down. */
  recover(): void {
    this.move((page) => this.services.store.write(this.moves.recover, page));
  }

  rebase(step: ClockStep): void {
    const { clock, store } = this.services;
    const nowUs = clock.nowUs();
    const beganMs = clock.elapsedMs();
    this.move((page, stored) =>
      store.write(this.moves.rebase, {
        ...step,
        ...page,
        // Due times are whole microseconds.
        nowUs: nowUs + Math.round((clock.elapsedMs() - beganMs) * 1000),
        stored: [...stored],
      }),
    );
  }

  private move(
    moveSome: (page: QueuePage<Place>, stored: ReadonlySet<number>) => Promise<Place | null>,
  ): void {
    const stored = new Set<number>();
    const how = { stop: this.stopping.signal, warning: this.moves.warning };
    const moveAll = async () => {
      let after: Place | null = null;
      do after = await untilStored(this.services, how, () => moveSome({ after, max: JOB_BATCH }, stored));
      while (after !== null);
    };
    this.changes.add(stored);
    this.last = this.last.then(moveAll).then(() => {
      this.changes.delete(stored);
      if (!this.isMoving) this.onMoved();
    });
  }
}
