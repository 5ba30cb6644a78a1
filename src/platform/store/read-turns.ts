/*
 * All accounts share the reader thread. Each account has one read in progress, and its others wait. Accounts take turns of a few
 * milliseconds, so a search waits for one turn of each other account at a time, not for all of their searches.
 */

/** Length of a turn, which the other accounts wait for. */
export const TURN_MS = 5;
/** Longest work for one read. After that it is answered that it takes too long. */
export const READ_WORK_MS_MAX = 10_000;
/** Most unanswered reads of one account: bounds a flood of requests. */
export const READS_PER_OWNER_MAX = 32;
/** Most unanswered reads of all accounts together. */
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

  /** Returns the oldest read of the next owner, who moves to the end. */
  next(): Read | undefined {
    for (const [owner, queue] of this.queues) {
      this.queues.delete(owner);
      this.queues.set(owner, queue);
      return queue[0];
    }
    return undefined;
  }

  /** Removes a read that is done or cancelled, and returns it. */
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
