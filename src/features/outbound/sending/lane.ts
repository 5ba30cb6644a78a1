import type { Cancel, Clock } from '../../../platform/core/clock.ts';
import type { Host } from './host.ts';
import type { Share } from './sql.ts';

/** proven: its servers have answered since the start; failing: they could not be reached; fresh: nothing is known. */
export type LaneKind = 'proven' | 'fresh' | 'failing';

/** One share of the queue (a domain, or all of it) as the dispatcher knows it. */
export class MailLane {
  /** Connections that work for it. */
  runs = 0;
  /** Results on their way to the store. */
  unwritten = 0;
  kind: LaneKind = 'fresh';
  /** Those who have mail in it. */
  readonly accounts = new Set<number>();
  /** Not before this, wall clock: its hosts asked to be left alone. */
  blockedUntilUs = 0;
  /** Why, for the owners of the mail that waits. */
  blockedReason = '';
  /** It was told that this host has a connection free, and others wait to be told so. */
  toldBy: Host | null = null;
  private alarm: Cancel | null = null;

  constructor(readonly share: Share) {}

  /** One alarm at most: the last one set. */
  setAlarm(clock: Clock, delayUs: number, ring: () => void): void {
    this.alarm?.();
    this.alarm = clock.after(Math.ceil(delayUs / 1000), () => {
      this.alarm = null;
      ring();
    });
  }

  /** It has used the connection that it was told of, or has no use for it: the next one is told. */
  passOn(): void {
    const host = this.toldBy;
    this.toldBy = null;
    host?.tell();
  }

  clearAlarm(): void {
    this.alarm?.();
    this.alarm = null;
  }
}
