import { findMostCrowded } from '../../platform/core/crowded.ts';
import { Failure } from '../../platform/core/failure.ts';
import { clientNetwork } from '../../platform/net/client-ip.ts';

/** One hash uses a core for 30 ms. At most AT_ONCE run, at most WAITING_MAX wait, and the rest are refused. */
const AT_ONCE = 2;
const WAITING_MAX = 64;
const RETRY_S = 2;

interface Waiting {
  begin(): void;
  refuse(): void;
}

/**
 * Who may hash next. Client networks take turns and share the places, because a stranger with many addresses could
 * otherwise keep everyone from signing in. The operator's commands have no network and count as one.
 */
export class PasswordTurns {
  private running = 0;
  private waiting = 0;
  /** By network. A Map keeps insertion order: the first is next, and moves to the end after its turn. */
  private readonly lines = new Map<string, Waiting[]>();

  /** Throws rate_limited when too many are waiting. */
  async run<Result>(address: string | null, work: () => Promise<Result>): Promise<Result> {
    if (this.running >= AT_ONCE) await this.wait(address === null ? '' : clientNetwork(address));
    else this.running += 1;
    try {
      return await work();
    } finally {
      // Each finished hash passes its slot on, so `running` does not change.
      const next = this.shift();
      if (next) next.begin();
      else this.running -= 1;
    }
  }

  private wait(network: string): Promise<void> {
    if (this.waiting >= WAITING_MAX) this.makeRoom(network);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const line = this.lines.get(network) ?? [];
    line.push({ begin: resolve, refuse: () => reject(makeRefusal()) });
    this.lines.set(network, line);
    this.waiting += 1;
    return promise;
  }

  /** Refuses the newest of the network that has most in line, or throws when there is none to refuse. */
  private makeRoom(network: string): void {
    const crowded = findMostCrowded(this.lines, network);
    if (crowded === null) throw makeRefusal();
    const line = this.lines.get(crowded)!;
    line.pop()?.refuse();
    this.waiting -= 1;
  }

  private shift(): Waiting | undefined {
    for (const [network, line] of this.lines) {
      const next = line.shift();
      this.lines.delete(network);
      if (line.length > 0) this.lines.set(network, line);
      this.waiting -= 1;
      return next;
    }
    return undefined;
  }
}

const makeRefusal = () => new Failure('rate_limited', { retry_after_s: RETRY_S });
