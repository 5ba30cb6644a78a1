interface Waiting {
  /** The owner whose turn it uses: a client network or an account. */
  turn: string;
  /** What it costs the owner, roughly in bytes. */
  cost: number;
}

interface Line<Task> {
  /** In order of arrival, each with the virtual time at which it would finish if all owners were served in parallel. */
  tasks: { task: Task; ends: number }[];
  lastEnds: number;
}

/**
 * A queue that serves owners as if in parallel, with equal shares (self-clocked fair queueing): the next task is the
 * one with the earliest virtual finish time. So a mail of 300 KB waits for the task in progress, but not for another
 * owner's queue of 24 MB mails, and nothing waits forever.
 */
export class FairQueue<Task extends Waiting> {
  length = 0;
  private readonly lines = new Map<string, Line<Task>>();
  /** Virtual time: when the task that was taken last finishes. */
  private now = 0;

  push(task: Task): void {
    const line = this.lines.get(task.turn) ?? { tasks: [], lastEnds: this.now };
    line.lastEnds = Math.max(this.now, line.lastEnds) + Math.max(1, task.cost);
    line.tasks.push({ task, ends: line.lastEnds });
    this.lines.set(task.turn, line);
    this.length += 1;
  }

  /** Takes the next task. Compares all owners that have waiting tasks, which are at most one per connection. */
  shift(): Task | undefined {
    let next: Line<Task> | undefined;
    for (const line of this.lines.values()) {
      if (!next || line.tasks[0]!.ends < next.tasks[0]!.ends) next = line;
    }
    const taken = next?.tasks.shift();
    if (!next || !taken) return undefined;
    this.length -= 1;
    this.now = taken.ends;
    if (next.tasks.length === 0) this.lines.delete(taken.task.turn);
    return taken.task;
  }
}
