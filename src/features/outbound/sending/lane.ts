import type { Cancel, Clock } from '../../../platform/core/clock.ts';
import type { Host } from './host.ts';
import type { Share } from './sql.ts';

/** proven: its servers have answered since the start; failing: they could not be reached; fresh: nothing known yet. */
export type LaneKind = 'proven' | 'fresh' | 'failing';

/** What the dispatcher knows of one share of the queue (a domain, or all of it). */
export class MailLane {
  /** Connections that work for this lane. */
  runs = 0;
  /** Results that are not stored yet. */
  unwritten = 0;
  kind: LaneKind = 'fresh';
  /** Accounts with mail in this lane. */
  readonly accounts = new Set<number>();
  /** No attempt before this, wall clock: the hosts asked for a pause. */
  blockedUntilUs = 0;
  /** The reason, for the owners of the waiting mail. */
  blockedReason = '';
  /** The host that offered this lane a connection. Other lanes wait for the same offer. */
  offeredBy: Host | null = null;
  private alarm: Cancel | null = null;

  constructor(readonly share: Share) {}

  /** Replaces the previous alarm, if any. */
  setAlarm(clock: Clock, delayUs: number, ring: () => void): void {
    this.alarm?.();
    this.alarm = clock.after(Math.ceil(delayUs / 1000), () => {
      this.alarm = null;
      ring();
    });
  }

  /** The lane has used the connection it was offered, or does not need it: offers it to the next waiter. */
  passOn(): void {
    const host = this.offeredBy;
    this.offeredBy = null;
    host?.offer();
  }

  clearAlarm(): void {
    this.alarm?.();
    this.alarm = null;
  }
}
