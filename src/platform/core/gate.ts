import type { Cancel, Clock } from './clock.ts';
import { Counts } from './counts.ts';

type Leave = () => void;

interface Waiter {
  of: string | undefined;
  enter: () => void;
  leave: () => void;
}

export interface SlotBounds {
  insideMax: number;
  /** How many may wait. The next one is refused immediately. */
  waitingMax: number;
  waitMs: number;
}

/**
 * Admits at most `insideMax` at a time and lets the others wait. One owner may hold at most as many places as remain
 * free, inside and waiting, so a newcomer finds one. Of those that wait, the owner with the fewest inside goes first,
 * and then whichever came first.
 */
export class SlotGate {
  private readonly inside = new Tally();
  private readonly outside = new Tally();
  /** In order of arrival: a Set keeps insertion order. */
  private readonly waiting = new Set<Waiter>();

  constructor(
    private readonly clock: Clock,
    private readonly bounds: SlotBounds,
  ) {}

  /**
   * Enters, or waits to. Resolves with a function that releases the place, to be called once; null if there is no
   * room in time.
   *
   * @param of the owner; without one, only the total counts.
   */
  enter(signal?: AbortSignal, of?: string): Promise<Leave | null> | Leave | null {
    const { insideMax, waitingMax, waitMs } = this.bounds;
    if (signal?.aborted) return null;
    if (this.inside.hasRoom(of, insideMax)) return this.letIn(of);
    if (!this.outside.hasRoom(of, waitingMax)) return null;
    return new Promise((resolve) => {
      let cancel: Cancel = () => {};
      const end = (way: Leave | null) => {
        this.waiting.delete(waiter);
        this.outside.take(of);
        cancel();
        signal?.removeEventListener('abort', waiter.leave);
        resolve(way);
      };
      const waiter: Waiter = { of, enter: () => end(this.letIn(of)), leave: () => end(null) };
      this.waiting.add(waiter);
      this.outside.add(of);
      cancel = this.clock.after(waitMs, waiter.leave);
      signal?.addEventListener('abort', waiter.leave);
    });
  }

  private letIn(of: string | undefined): Leave {
    this.inside.add(of);
    return () => {
      this.inside.take(of);
      this.next()?.enter();
    };
  }

  private next(): Waiter | null {
    let best: Waiter | null = null;
    let fewest = Number.POSITIVE_INFINITY;
    for (const waiter of this.waiting) {
      const held = this.inside.of(waiter.of);
      if (held >= fewest || !this.inside.hasRoom(waiter.of, this.bounds.insideMax)) continue;
      if (held === 0) return waiter;
      best = waiter;
      fewest = held;
    }
    return best;
  }
}

/** Counts places in total and per owner. */
class Tally {
  private all = 0;
  private readonly byOwner = new Counts<string>();

  of(owner: string | undefined): number {
    return owner === undefined ? 0 : this.byOwner.of(owner);
  }

  hasRoom(owner: string | undefined, max: number): boolean {
    return this.of(owner) < max - this.all;
  }

  add(owner: string | undefined): void {
    this.change(owner, 1);
  }

  take(owner: string | undefined): void {
    this.change(owner, -1);
  }

  private change(owner: string | undefined, by: 1 | -1): void {
    this.all += by;
    if (owner !== undefined) this.byOwner.add(owner, by);
  }
}
