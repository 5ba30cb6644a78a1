import type { ThreadCall } from './thread.ts';

/** Most calls in a group: its first call is answered only when all of them are committed. */
const GROUP_MAX = 128;

/**
 * The writer's queue. Calls that a client waits for form groups. A step of a job has a transaction of its own, between two
 * groups: so mail waits for at most one step, and a flood of mail does not stop the jobs.
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

  /** Takes the calls of the next transaction; empty if nothing waits. */
  take(): ThreadCall[] {
    const isUrgent = this.urgent.length > 0 && !(this.lastWasUrgent && this.background.length > 0);
    this.lastWasUrgent = isUrgent;
    return isUrgent ? this.urgent.splice(0, GROUP_MAX) : this.background.splice(0, 1);
  }
}
