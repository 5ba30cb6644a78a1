import type { Cancel, Clock } from './clock.ts';

interface Waiter {
  enter: () => void;
  leave: () => void;
}

export interface GateBounds {
  /** How many may be inside. */
  inside_max: number;
  /** How many may wait outside; the next is turned away at once. */
  waiting_max: number;
  /** For how long one waits. */
  wait_ms: number;
}

/** Lets in so many at a time, the others in the order in which they came. */
export class Gate {
  private inside = 0;
  /** A Set keeps the order of insertion. */
  private readonly waiting = new Set<Waiter>();

  constructor(
    private readonly clock: Clock,
    private readonly bounds: GateBounds,
  ) {}

  /** Gives what lets the next one in, to be called once; or null, when there is no room and none comes in time. */
  enter(signal?: AbortSignal): Promise<(() => void) | null> | (() => void) | null {
    const { inside_max, waiting_max, wait_ms } = this.bounds;
    if (signal?.aborted) return null;
    if (this.inside < inside_max) return this.letIn();
    if (this.waiting.size >= waiting_max) return null;
    return new Promise((resolve) => {
      let cancel: Cancel = () => {};
      const end = (way: (() => void) | null) => {
        this.waiting.delete(waiter);
        cancel();
        signal?.removeEventListener('abort', waiter.leave);
        resolve(way);
      };
      const waiter: Waiter = { enter: () => end(this.letIn()), leave: () => end(null) };
      this.waiting.add(waiter);
      cancel = this.clock.after(wait_ms, waiter.leave);
      signal?.addEventListener('abort', waiter.leave);
    });
  }

  private letIn(): () => void {
    this.inside += 1;
    return () => {
      this.inside -= 1;
      const [next] = this.waiting;
      next?.enter();
    };
  }
}
