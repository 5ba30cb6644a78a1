interface Waiting {
  /** Whose turn it takes: a client network, or an account. */
  turn: string;
}

/**
 * What waits, by whose turn it takes. The owners of turns take them in a circle, so what one of them has queued delays
 * another by one task at most.
 */
export class FairQueue<Task extends Waiting> {
  length = 0;
  /** In the order of the circle: the first is next. */
  private readonly queues = new Map<string, Task[]>();

  /** At the end of its owner's queue. */
  push(task: Task): void {
    this.queueOf(task).push(task);
    this.length += 1;
  }

  /** At the head of its owner's queue. */
  unshift(task: Task): void {
    this.queueOf(task).unshift(task);
    this.length += 1;
  }

  shift(): Task | undefined {
    const next = this.queues.entries().next().value;
    if (!next) return undefined;
    const [turn, queue] = next;
    const task = queue.shift();
    this.length -= 1;
    this.queues.delete(turn);
    if (queue.length > 0) this.queues.set(turn, queue);
    return task;
  }

  private queueOf({ turn }: Task): Task[] {
    const known = this.queues.get(turn);
    if (known) return known;
    const made: Task[] = [];
    this.queues.set(turn, made);
    return made;
  }
}
