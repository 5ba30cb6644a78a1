import type { ThreadCall } from './thread.ts';

/** Bounds how long one group holds back those who came first in it. */
const GROUP_MAX = 128;

/**
 * What waits for the writer. Calls that somebody waits for are taken together, and before the work of jobs; of that one
 * piece at a time has a transaction to itself, between two of their groups: a mail then waits for one piece at most,
 * and a flood of mail does not stop the jobs.
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

  /** The calls of the next transaction; none when nothing waits. */
  take(): ThreadCall[] {
    const isUrgent = this.urgent.length > 0 && !(this.lastWasUrgent && this.background.length > 0);
    this.lastWasUrgent = isUrgent;
    return isUrgent ? this.urgent.splice(0, GROUP_MAX) : this.background.splice(0, 1);
  }
}
