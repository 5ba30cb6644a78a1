import type { ClockStep } from '../../../platform/core/clock-watch.ts';
import { JOB_BATCH } from '../../../platform/job.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import { beginRebaseOp, rebaseEmailsOp } from './writes.ts';

/** Pause before a step that could not be stored is repeated. */
const RETRY_WRITE_MS = 2_000;

/** Moves the due times of queued email with the wall clock, in steps. */
export class QueueClock {
  private changes = 0;
  private isStopped = false;

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
    this.isStopped = true;
  }

  /** Finishes changes that were in progress when the server last ended. */
  resume(): void {
    void this.follow(null);
  }

  rebase(step: ClockStep): void {
    void this.follow(step);
  }

  private async follow(step: ClockStep | null): Promise<void> {
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
    while (await this.untilStored(() => store.write(rebaseEmailsOp, { max: JOB_BATCH })));
    this.changes -= 1;
    if (!this.isMoving && !this.isStopped) this.onMoved();
  }

  /** Repeats a write until it is stored. Returns null if a stop ends that. */
  private async untilStored<Output>(write: () => Promise<Output>): Promise<Output | null> {
    while (!this.isStopped) {
      try {
        return await write();
      } catch (fault) {
        if (this.isStopped) break;
        this.services.log.warn('the due times of queued email could not be moved with the clock; retrying', {
          fault: String(fault),
        });
        await new Promise<void>((resolve) => this.services.clock.after(RETRY_WRITE_MS, resolve));
      }
    }
    return null;
  }
}
