import type { Clock } from './clock.ts';
import { fail } from './failure.ts';

/*
 * Responses that are in memory until their client has read them share a bound. Nothing else limits them: a client can
 * ask for many megabytes in a moment, over many connections, and read none of it.
 */

/** Total bytes in memory for responses in progress. */
const HELD_BYTES_MAX = 128 * 1024 * 1024;
/** A client that has read nothing for this long loses its response when the room is needed. */
const SILENT_US = 5_000_000;
const RETRY_S = 5;

/** The room of one response. */
export interface Held {
  /** Gives the room back, at most once. */
  release(): void;
  /** The client has read something. */
  touch(): void;
  /** Set by who can end the response, so that it may be cut off when others need the room. */
  cut: (() => void) | null;
}

interface Holding extends Held {
  bytes: number;
  account: number;
  readUs: number;
}

export class HeldBytes {
  /** The one whose client has been silent longest comes first. */
  private readonly all = new Set<Holding>();
  private readonly ofAccount = new Map<number, number>();
  private held = 0;

  constructor(private readonly clock: Pick<Clock, 'nowUs'>) {}

  /**
   * Reserves room for a response of this account, or throws 429. An account that holds some gets more only while at
   * least as much remains free, so a newcomer finds room. `mustFit` is never refused, only counted.
   */
  take(account: number, bytes: number, mustFit = false): Held {
    if (!this.hasRoom(account, bytes) && !this.makeRoom(account, bytes) && !mustFit)
      fail('rate_limited', { retry_after_s: RETRY_S });
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
    // However large it is, one is served.
    return this.held === 0 || this.held + bytes + this.countHeld(account) <= HELD_BYTES_MAX;
  }

  /** Cuts off silent clients, the longest silent first, but none whose account holds less than this one. */
  private makeRoom(account: number, bytes: number): boolean {
    const silentSinceUs = this.clock.nowUs() - SILENT_US;
    for (const { cut, readUs, account: other } of [...this.all]) {
      if (readUs > silentSinceUs) return false;
      if (this.countHeld(other) >= this.countHeld(account)) cut?.();
      if (this.hasRoom(account, bytes)) return true;
    }
    return false;
  }

  private countHeld(account: number): number {
    return this.ofAccount.get(account) ?? 0;
  }

  private count(account: number, bytes: number): void {
    this.held += bytes;
    const own = this.countHeld(account) + bytes;
    if (own > 0) this.ofAccount.set(account, own);
    else this.ofAccount.delete(account);
  }
}
