interface Waiting {
  /** Whose turn it takes: a client network, or an account. */
  turn: string;
  /** What it costs its owner, about in bytes. */
  cost: number;
}

interface Line<Task> {
  /** In order of arrival, each with the virtual time at which it would end if all owners were served side by side. */
  tasks: { task: Task; ends: number }[];
  lastEnds: number;
}

/**
 * What waits, by whose turn it takes. Owners are served as if side by side, each with the same share (self-clocked
 * fair queueing): next is the task that would end first. So whoever brings 300 KB waits for the task under way, and
 * not for another owner's queue of 24 MB each, however long that is; and nobody waits for ever.
 */
export class FairQueue<Task extends Waiting> {
  length = 0;
  private readonly lines = new Map<string, Line<Task>>();
  /** Virtual time: where the task that was taken last ends. */
  private now = 0;

  push(task: Task): void {
    const line = this.lines.get(task.turn) ?? { tasks: [], lastEnds: this.now };
    line.lastEnds = Math.max(this.now, line.lastEnds) + Math.max(1, task.cost);
    line.tasks.push({ task, ends: line.lastEnds });
    this.lines.set(task.turn, line);
    this.length += 1;
  }

  /** As many owners are looked at as have something waiting: at most one for each connection. */
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
