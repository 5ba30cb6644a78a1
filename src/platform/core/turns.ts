import { Counts } from './counts.ts';

/** What takes turns: it may have work for several accounts. */
interface InTurn {
  readonly accounts: ReadonlySet<number>;
}

/** A lane that may start something, and the account whose turn it is. */
export interface Turn<Lane extends InTurn> {
  lane: Lane;
  account_no: number;
}

/** Lanes that may have something to do, by account. Accounts take turns, and no account can use all slots. */
export class Turns<Lane extends InTurn> {
  private readonly waiting = new Map<number, Set<Lane>>();
  /** How many slots each account has. */
  private readonly held = new Counts<number>();
  /** How many slots all accounts have. */
  running = 0;

  /** @param share how many times as many slots as remain free an account may hold: with 1, it gets half of them on its own. */
  constructor(private readonly share = 1) {}

  get isEmpty(): boolean {
    return this.waiting.size === 0;
  }

  add(lane: Lane): void {
    for (const accountNo of lane.accounts) {
      const lanes = this.waiting.get(accountNo) ?? new Set();
      this.waiting.set(accountNo, lanes.add(lane));
    }
  }

  delete(lane: Lane): void {
    for (const accountNo of lane.accounts) {
      const lanes = this.waiting.get(accountNo);
      if (lanes?.delete(lane) && lanes.size === 0) this.waiting.delete(accountNo);
    }
  }

  /** Returns the next turn, of an account that may take one of the free slots; null if there is none. */
  take(free: number): Turn<Lane> | null {
    // Asked again and again while all slots are in use, by very many accounts.
    if (free <= 0) return null;
    for (const [accountNo, lanes] of this.waiting) {
      if (!this.mayHold(accountNo, free)) continue;
      const [lane] = lanes;
      this.waiting.delete(accountNo);
      this.waiting.set(accountNo, lanes);
      this.delete(lane!);
      return { lane: lane!, account_no: accountNo };
    }
    return null;
  }

  /** Whether an account may take one of the free slots. */
  mayHold(accountNo: number, free: number): boolean {
    return this.held.of(accountNo) < free * this.share;
  }

  begin({ account_no }: Pick<Turn<Lane>, 'account_no'>): void {
    this.running += 1;
    this.held.add(account_no, 1);
  }

  end({ account_no }: Pick<Turn<Lane>, 'account_no'>): void {
    this.running -= 1;
    this.held.add(account_no, -1);
  }
}
