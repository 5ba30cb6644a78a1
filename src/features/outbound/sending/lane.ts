import { Alarm } from '../../../platform/core/alarm.ts';
import type { Host } from './host.ts';
import type { Share } from './sql.ts';

/** proven: its servers have answered since the start; failing: they could not be reached; fresh: nothing known yet. */
export type LaneKind = 'proven' | 'fresh' | 'failing';

/** What the dispatcher knows about one share of the queue (a domain, or all of it). */
export class MailLane {
  /** How many connections send mail of this lane. */
  runs = 0;
  /** How many results are not stored yet. */
  unwritten = 0;
  kind: LaneKind = 'fresh';
  /** Accounts with mail in this lane. */
  readonly accounts = new Set<number>();
  /** No attempt before this time of the wall clock, because the hosts asked for a pause. */
  blockedUntilUs = 0;
  /** Why it is blocked, for the senders of the waiting mail. */
  blockedReason = '';
  /** The host that offered this lane a connection. Other lanes wait for the same offer. */
  offeredBy: Host | null = null;
  /** Wakes it when its next email is due. */
  readonly alarm = new Alarm();

  constructor(readonly share: Share) {}

  /**
   * Passes the connection that the lane was offered on to the next waiter, once the lane has used it or doesn't need
   * it.
   */
  passOn(): void {
    const host = this.offeredBy;
    this.offeredBy = null;
    host?.offer();
  }
}
