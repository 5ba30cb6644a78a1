/*
 * The reader thread is one for all accounts. Each has one read in hand at a time and the others behind it; the accounts
 * get turns of a few milliseconds in a circle, so that a search waits for one turn of each other account that searches,
 * and not for all that those have asked.
 */

/** How long one turn holds back the other accounts. */
export const TURN_MS = 5;
/** The work of one read: whoever asks for more keeps the thread busy for nothing that a person would wait for. */
export const READ_WORK_MS_MAX = 10_000;
/** Reads of one account in hand and waiting, in the thread and on the way to it: bounds what a flood of requests holds. */
export const READS_PER_OWNER_MAX = 32;
/** The same of all accounts. */
export const READS_MAX = 1_000;

/** A read that waits for its turn. */
export interface WaitingRead {
  readonly id: number;
  readonly owner: string;
}

/** Who is next. */
export class ReadTurns<Read extends WaitingRead> {
  /** A Map keeps the order of insertion: the first owner is next, and goes to the end after a turn. */
  private readonly queues = new Map<string, Read[]>();

  get isEmpty(): boolean {
    return this.queues.size === 0;
  }

  add(read: Read): void {
    const queue = this.queues.get(read.owner);
    if (queue) queue.push(read);
    else this.queues.set(read.owner, [read]);
  }

  /** The next owner's oldest read; that owner goes behind the others. */
  next(): Read | undefined {
    for (const [owner, queue] of this.queues) {
      this.queues.delete(owner);
      this.queues.set(owner, queue);
      return queue[0];
    }
    return undefined;
  }

  /** Takes a read away: it is done, or nobody waits for it any more. */
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
