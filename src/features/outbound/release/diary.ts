import { type Clock, countSecondsUntil, MINUTE_US } from '../../../platform/core/clock.ts';

/** An attempt to release a message to one recipient. */
export interface Release {
  /** Microseconds. */
  at: number;
  to: string;
  /** Null if the smarthost got the whole mail and never replied: it may have accepted it. */
  isAccepted: boolean | null;
  /** The smarthost's reply. */
  reply: string;
}

/** How many messages' releases are remembered, and how many of each. */
const MESSAGES_MAX = 1_000;
const RELEASES_MAX = 20;
/** A script must not turn capture into a mail cannon, so this limit applies although capture lifts all others. */
const PER_MINUTE_MAX = 30;

/** Remembers what capture has released since it started. */
export class ReleaseDiary {
  private readonly releases = new Map<string, Release[]>();
  private windowUs = 0;
  private inWindow = 0;

  constructor(private readonly clock: Clock) {}

  /** Counts a release and returns null, or returns the seconds to wait if there were too many in this minute. */
  take(): number | null {
    const nowUs = this.clock.nowUs();
    // The minute may have begun before the clock was set back.
    if (nowUs < this.windowUs || nowUs - this.windowUs >= MINUTE_US)
      [this.windowUs, this.inWindow] = [nowUs, 0];
    if (this.inWindow >= PER_MINUTE_MAX) return countSecondsUntil(this.windowUs + MINUTE_US, nowUs);
    this.inWindow += 1;
    return null;
  }

  list(messageId: string): readonly Release[] {
    return this.releases.get(messageId) ?? [];
  }

  add(messageId: string, release: Release): void {
    const known = this.releases.get(messageId) ?? [];
    this.releases.delete(messageId);
    this.releases.set(messageId, [release, ...known].slice(0, RELEASES_MAX));
    const [oldest] = this.releases.keys();
    if (this.releases.size > MESSAGES_MAX && oldest !== undefined) this.releases.delete(oldest);
  }
}
