import type { ThreadCall } from './thread.ts';

/** Bounds how long a group delays its first call. */
const GROUP_MAX = 128;

/**
 * The queue of the writer. Calls that a client waits for are grouped, and precede jobs. Jobs run one step per
 * transaction, between two groups: a mail then waits for at most one step, and a flood of mail does not stop the jobs.
 */
export class GroupQueue {
  private urgent: ThreadCall[] = [];
  private readonly background: ThreadCall[] = [];
  private lastWasUrgent = false;

  constructor(private readonly isBackground: (name: string) => boolean) {}

  get isEmpty(): boolean {
    return this.urgent.length === 0 && this.background.length === 0;
  }

  add(calls: readonly ThreadCall[]): void {
    for (const call of calls) (this.isBackground(call.name) ? this.background : this.urgent).push(call);
  }

  /** The calls of the next transaction; empty when nothing waits. */
  take(): ThreadCall[] {
    const isUrgent = this.urgent.length > 0 && !(this.lastWasUrgent && this.background.length > 0);
    this.lastWasUrgent = isUrgent;
    return isUrgent ? this.urgent.splice(0, GROUP_MAX) : this.background.splice(0, 1);
  }
}
