import type { ClockStep } from '../../../platform/core/clock-watch.ts';
import { JOB_BATCH } from '../../../platform/job.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import { untilStored } from '../../../platform/until-stored.ts';
import { beginRebaseOp, rebaseEmailsOp } from './writes.ts';

/** Moves the due times of queued email with the wall clock, in steps. */
export class QueueClock {
  private changes = 0;
  private readonly stopping = new AbortController();

  constructor(
    private readonly services: PlatformServices,
    private readonly onMoved: () => void,
  ) {}

  /** Whether due times are not all by the current clock. Nothing may be sent: it could be sent too early. */
  get isMoving(): boolean {
    return this.changes > 0;
  }

  /** Starts no more steps. The next start continues. */
  stop(): void {
    this.stopping.abort();
  }

  /**
   * Finishes changes that were in progress when the server last ended, and calls `correct` if there were any: these
   * emails now have the times of the clock as it was then. If it was set back since, they would be due very late.
   */
  resume(correct: () => Promise<void>): void {
    void this.follow(null, correct);
  }

  rebase(step: ClockStep): void {
    void this.follow(step);
  }

  private async follow(step: ClockStep | null, correct?: () => Promise<void>): Promise<void> {
    this.changes += 1;
    const { clock, store } = this.services;
    const nowUs = clock.nowUs();
    const beganMs = clock.elapsedMs();
    if (step)
      await this.untilStored(() => {
        // By the clock as this step set it, even if it has been set again since.
        const passedUs = Math.round((clock.elapsedMs() - beganMs) * 1000);
        return store.write(beginRebaseOp, {
          beforeUs: step.beforeUs + passedUs,
          nowUs: nowUs + passedUs,
        });
      });
    let steps = 0;
    while (await this.untilStored(() => store.write(rebaseEmailsOp, { max: JOB_BATCH }))) steps += 1;
    if (correct && steps > 0) await this.untilStored(correct);
    this.changes -= 1;
    if (!this.isMoving && !this.stopping.signal.aborted) this.onMoved();
  }

  private untilStored<Output>(write: () => Promise<Output>): Promise<Output | null> {
    const warning = 'the due times of queued email could not be moved with the clock; retrying';
    return untilStored(this.services, { stop: this.stopping.signal, warning }, write);
  }
}
