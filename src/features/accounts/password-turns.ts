import { findMostCrowded } from '../../platform/core/crowded.ts';
import { Failure } from '../../platform/core/failure.ts';
import { formatClientNetwork } from '../../platform/net/client-ip.ts';

/** A hash takes a core for 30 ms. At most AT_ONCE run and WAITING_MAX wait in each queue; others are refused. */
const AT_ONCE = 2;
const WAITING_MAX = 64;
const RETRY_S = 2;

interface Waiting {
  begin(): void;
  refuse(): void;
}

/**
 * Decides which password is hashed next. Client networks take turns and share the queue, or a stranger with many
 * addresses could keep everyone from signing in. Clients that have proved a password before have a queue of their own,
 * and every other turn, because a stranger with very many networks can still fill the other queue. The operator's
 * commands have no network and count as one.
 */
export class PasswordTurns {
  private running = 0;
  private readonly known = new NetworkQueue();
  private readonly strangers = new NetworkQueue();
  private isTurnOfKnown = true;

  /**
   * Runs `work` when it is this client's turn. Throws rate_limited when too many are waiting.
   * @param address The client's address; null for the operator's commands.
   * @param isKnown Whether this client has proved a password of this person before.
   */
  async run<Result>(address: string | null, work: () => Promise<Result>, isKnown = false): Promise<Result> {
    const queue = isKnown ? this.known : this.strangers;
    if (this.running >= AT_ONCE) await queue.wait(address === null ? '' : formatClientNetwork(address));
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

/** A bounded queue in which networks take turns. */
class NetworkQueue {
  private waiting = 0;
  /** The network whose turn is next comes first (a Map keeps insertion order), and moves to the end after its turn. */
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

  /** Refuses the newest entry of the network with the most, or throws if this network would have the most. */
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

const makeRefusal = () => new Failure('rate_limited', { retryAfterS: RETRY_S });
