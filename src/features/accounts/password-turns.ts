import { findMostCrowded } from '../../platform/core/crowded.ts';
import { Failure } from '../../platform/core/failure.ts';
import { clientNetwork } from '../../platform/net/client-ip.ts';

/** One hash uses a core for 30 ms. At most AT_ONCE run, at most WAITING_MAX wait in each line, and the rest are refused. */
const AT_ONCE = 2;
const WAITING_MAX = 64;
const RETRY_S = 2;

interface Waiting {
  begin(): void;
  refuse(): void;
}

/**
 * Who may hash next. Client networks take turns and share the places, because a stranger with many addresses could
 * otherwise keep everyone from signing in. Clients that proved a password before have places of their own, and every other
 * turn: strangers with as many networks as there are places would still fill the others. The operator's commands have no
 * network and count as one.
 */
export class PasswordTurns {
  private running = 0;
  private readonly known = new Line();
  private readonly strangers = new Line();
  private isTurnOfKnown = true;

  /** Throws rate_limited when too many are waiting. */
  async run<Result>(address: string | null, work: () => Promise<Result>, isKnown = false): Promise<Result> {
    const line = isKnown ? this.known : this.strangers;
    if (this.running >= AT_ONCE) await line.wait(address === null ? '' : clientNetwork(address));
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

  private shift(): Waiting | undefined {
    const [first, second] = this.isTurnOfKnown ? [this.known, this.strangers] : [this.strangers, this.known];
    this.isTurnOfKnown = !this.isTurnOfKnown;
    return first.shift() ?? second.shift();
  }
}

class Line {
  private waiting = 0;
  /** A Map keeps insertion order: the first network is next, and moves to the end after its turn. */
  private readonly networks = new Map<string, Waiting[]>();

  wait(network: string): Promise<void> {
    if (this.waiting >= WAITING_MAX) this.makeRoom(network);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const own = this.networks.get(network) ?? [];
    own.push({ begin: resolve, refuse: () => reject(makeRefusal()) });
    this.networks.set(network, own);
    this.waiting += 1;
    return promise;
  }

  /** Refuses the newest of the network that has most in line, or throws when there is none to refuse. */
  private makeRoom(network: string): void {
    const crowded = findMostCrowded(this.networks, network);
    if (crowded === null) throw makeRefusal();
    this.networks.get(crowded)!.pop()?.refuse();
    this.waiting -= 1;
  }

  shift(): Waiting | undefined {
    for (const [network, own] of this.networks) {
      const next = own.shift();
      this.networks.delete(network);
      if (own.length > 0) this.networks.set(network, own);
      this.waiting -= 1;
      return next;
    }
    return undefined;
  }
}

const makeRefusal = () => new Failure('rate_limited', { retry_after_s: RETRY_S });
