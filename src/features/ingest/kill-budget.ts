import type { Clock } from '../../platform/core/clock.ts';
import { Windows } from '../../platform/core/window.ts';
import { parsing } from '../../rules/parsing.ts';

/** Parsers that the mails of a client network may cost (rules/parsing.ts). A restart forgives. */
export class KillBudget {
  private readonly windows = new Windows();

  constructor(private readonly clock: Pick<Clock, 'elapsedMs'>) {}

  /** Counts a kill. Returns true when that was the last one that the network had left. */
  charge(network: string): boolean {
    const wasSpent = this.isSpent(network);
    this.windows.take(network, parsing.killWindowS, this.nowUs());
    return !wasSpent && this.isSpent(network);
  }

  isSpent(network: string): boolean {
    return this.windows.look(network, parsing.killsMax, parsing.killWindowS, this.nowUs()).remaining === 0;
  }

  /** Monotonic: a step of the wall clock must not stretch a window. */
  private nowUs(): number {
    return this.clock.elapsedMs() * 1000;
  }
}
