import type { Clock } from '../../platform/core/clock.ts';
import { Windows } from '../../platform/core/window.ts';
import { parsing } from '../../rules/parsing.ts';

/** Counts the parser processes that mails of a client network have cost (rules/parsing.ts). A restart resets it. */
export class KillBudget {
  private readonly windows = new Windows();

  constructor(private readonly clock: Pick<Clock, 'elapsedMs'>) {}

  /** Counts a kill. Returns true if it used up the network's budget. */
  charge(network: string): boolean {
    const wasSpent = this.isSpent(network);
    this.windows.take(network, parsing.killWindowS, this.nowUs());
    return !wasSpent && this.isSpent(network);
  }

  isSpent(network: string): boolean {
    return this.windows.look(network, parsing.killsMax, parsing.killWindowS, this.nowUs()).remaining === 0;
  }

  /** Monotonic, so that a change of the wall clock does not stretch a window. */
  private nowUs(): number {
    return this.clock.elapsedMs() * 1000;
  }
}
