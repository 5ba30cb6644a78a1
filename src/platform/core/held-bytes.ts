import type { Clock } from './clock.ts';
import { Counts } from './counts.ts';
import { fail } from './failure.ts';

/*
 * Bounds the memory of responses that wait to be read, all together. Nothing else does: a client can request many
 * megabytes in a moment, over many connections, and read none of it.
 */

/** Bytes of all responses in progress. */
const HELD_BYTES_MAX = 128 * 1024 * 1024;
/** A client that has read nothing for this long loses its response when others need the room. */
const SILENT_US = 5_000_000;
const RETRY_S = 5;

/** The room that one response has reserved. */
export interface Held {
  /** Releases the room. Calling it again does nothing. */
  release(): void;
  /** Notes that the client has read something. */
  touch(): void;
  /** Ends the response when others need the room. The code that can end it sets this; null if none can. */
  cut: (() => void) | null;
}

interface Holding extends Held {
  bytes: number;
  account: number;
  readUs: number;
}

export class HeldBytes {
  /** All reservations. The client of the first one has been silent longest. */
  private readonly all = new Set<Holding>();
  private readonly ofAccount = new Counts<number>();
  private held = 0;

  constructor(private readonly clock: Pick<Clock, 'nowUs'>) {}

  /**
   * Reserves room for a response to this account, or fails with 429. An account that holds some gets more only while at
   * least as much remains free, so a newcomer finds room.
   *
   * @param mustFit true for a response that is counted but never refused.
   */
  take(account: number, bytes: number, mustFit = false): Held {
    if (!this.hasRoom(account, bytes) && !this.makeRoom(account, bytes) && !mustFit)
      fail('rate_limited', { retryAfterS: RETRY_S });
    const holding: Holding = {
      bytes,
      account,
      readUs: this.clock.nowUs(),
      cut: null,
      release: () => this.all.delete(holding) && this.count(account, -bytes),
      touch: () => {
        holding.readUs = this.clock.nowUs();
        if (this.all.delete(holding)) this.all.add(holding);
      },
    };
    this.all.add(holding);
    this.count(account, bytes);
    return holding;
  }

  private hasRoom(account: number, bytes: number): boolean {
    // A single response is served, however large it is.
    return this.held === 0 || this.held + bytes + this.ofAccount.of(account) <= HELD_BYTES_MAX;
  }

  /** Cuts off silent clients, the longest silent first, but none whose account holds less than this one. */
  private makeRoom(account: number, bytes: number): boolean {
    const silentSinceUs = this.clock.nowUs() - SILENT_US;
    for (const { cut, readUs, account: other } of [...this.all]) {
      if (readUs > silentSinceUs) return false;
      if (this.ofAccount.of(other) >= this.ofAccount.of(account)) cut?.();
      if (this.hasRoom(account, bytes)) return true;
    }
    return false;
  }

  private count(account: number, bytes: number): void {
    this.held += bytes;
    this.ofAccount.add(account, bytes);
  }
}
