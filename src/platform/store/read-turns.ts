/*
 * All accounts share the reader thread. Each has one read in progress and the others queued. Accounts take turns of a
 * few milliseconds, so a search waits for one turn of each other account, not for all of their searches.
 */

/** How long one turn delays the other accounts. */
export const TURN_MS = 5;
/** Longest work for one read: nobody waits longer for a search. */
export const READ_WORK_MS_MAX = 10_000;
/** Reads of one account in progress and queued, also on the way to the thread: bounds a flood of requests. */
export const READS_PER_OWNER_MAX = 32;
/** The same for all accounts together. */
export const READS_MAX = 1_000;

/** A read waiting for its turn. */
export interface WaitingRead {
  readonly id: number;
  readonly owner: string;
}

/** Decides whose turn is next. */
export class ReadTurns<Read extends WaitingRead> {
  /** A Map keeps insertion order: the first owner is next, and moves to the end after a turn. */
  private readonly queues = new Map<string, Read[]>();

  get isEmpty(): boolean {
    return this.queues.size === 0;
  }

  add(read: Read): void {
    const queue = this.queues.get(read.owner);
    if (queue) queue.push(read);
    else this.queues.set(read.owner, [read]);
  }

  /** The next owner's oldest read; that owner moves to the end. */
  next(): Read | undefined {
    for (const [owner, queue] of this.queues) {
      this.queues.delete(owner);
      this.queues.set(owner, queue);
      return queue[0];
    }
    return undefined;
  }

  /** Removes a read that is done or no longer wanted. */
  remove(id: number): Read | undefined {
    for (const [owner, queue] of this.queues) {
      const at = queue.findIndex((read) => read.id === id);
      if (at < 0) continue;
      const [removed] = queue.splice(at, 1);
      if (queue.length === 0) this.queues.delete(owner);
      return removed;
    }
    return undefined;
  }
}
