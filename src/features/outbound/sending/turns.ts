import { Counts } from '../../../platform/core/counts.ts';
import type { MailLane } from './lane.ts';

/** A lane that may start a run, and the account whose turn it is. */
export interface Turn {
  lane: MailLane;
  account_no: number;
}

/**
 * The lanes of one kind that may have something to send, by account. Accounts take turns. One account may hold at most
 * as many slots as remain free: on its own it gets half of them, so that others still find one.
 */
export class Turns {
  private readonly waiting = new Map<number, Set<MailLane>>();
  /** How many runs each account has. */
  private readonly held = new Counts<number>();
  /** How many runs all accounts have. */
  running = 0;

  add(lane: MailLane): void {
    for (const accountNo of lane.accounts) {
      const lanes = this.waiting.get(accountNo) ?? new Set();
      this.waiting.set(accountNo, lanes.add(lane));
    }
  }

  delete(lane: MailLane): void {
    for (const accountNo of lane.accounts) {
      const lanes = this.waiting.get(accountNo);
      if (lanes?.delete(lane) && lanes.size === 0) this.waiting.delete(accountNo);
    }
  }

  /** Returns the next turn, of an account that may take one of the free slots; null if there is none. */
  take(free: number): Turn | null {
    for (const [accountNo, lanes] of this.waiting) {
      if (this.held.of(accountNo) >= free) continue;
      const [lane] = lanes;
      this.waiting.delete(accountNo);
      this.waiting.set(accountNo, lanes);
      this.delete(lane!);
      return { lane: lane!, account_no: accountNo };
    }
    return null;
  }

  begin({ account_no }: Turn): void {
    this.running += 1;
    this.held.add(account_no, 1);
  }

  end({ account_no }: Turn): void {
    this.running -= 1;
    this.held.add(account_no, -1);
  }
}
