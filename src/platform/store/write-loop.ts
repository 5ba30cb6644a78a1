import { readReason } from '../core/thrown.ts';
import { shareAddon } from './addon.ts';
import { Writer } from './group-commit.ts';
import { GroupQueue } from './group-queue.ts';
import type { AnyWriteOp } from './operation.ts';
import type { FromThread, ThreadCall, ThreadPort, ThreadStart, ToThread } from './thread.ts';

/** The writer thread: takes the groups that wait, one after the other, and checkpoints between them. */
export function serveWrites(operations: readonly AnyWriteOp[], port: ThreadPort): void {
  const loop = new WriteLoop(operations, (message) => port.postMessage(message));
  port.onmessage = ({ data }: MessageEvent<ToThread>) => loop.take(data);
}

class WriteLoop {
  private readonly queue: GroupQueue;
  private writer: Writer | undefined;
  private isScheduled = false;
  private logIsLookedAt = true;
  private foldIsWanted = false;
  private isStopping = false;

  constructor(
    private readonly operations: readonly AnyWriteOp[],
    private readonly post: (message: FromThread) => void,
  ) {
    const background = new Set(operations.filter((one) => one.inBackground).map(({ name }) => name));
    this.queue = new GroupQueue((name) => background.has(name));
  }

  take(data: ToThread): void {
    if ('calls' in data) this.add(data.calls);
    else if ('fold' in data) {
      this.foldIsWanted = true;
      this.logIsLookedAt = false;
      this.schedule();
    } else if ('stop' in data) {
      this.isStopping = true;
      this.schedule();
    } else if ('start' in data) {
      this.attempt(() => this.open(data.start));
    }
  }

  private open({ file, addon, writer }: ThreadStart): void {
    shareAddon(addon);
    this.writer = new Writer(file, this.operations, writer);
    this.post({ ready: true, migrated: this.writer.migrated });
  }

  private add(calls: ThreadCall[]): void {
    // A call that arrives alone need not wait for others: the main thread sends the next ones after its answer.
    const isAlone = this.queue.isEmpty && calls.length === 1;
    this.queue.add(calls);
    if (isAlone && !this.isScheduled) this.turn();
    else this.schedule();
  }

  private readonly turn = () => {
    this.isScheduled = false;
    this.attempt(() => this.work());
  };

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(this.turn);
  }

  private work(): void {
    const { writer, queue } = this;
    // It is broken: the main thread has rejected the waiting calls, and the program ends.
    if (!writer) return;
    if (!queue.isEmpty) {
      const began = performance.now();
      const answers = writer.commitGroup(queue.take());
      const { trouble } = writer;
      this.post({ answers, groupMs: performance.now() - began, trouble, ...writer.takeNotices() });
      this.logIsLookedAt = false;
    } else if (!this.logIsLookedAt) {
      // Between groups: within a commit, its whole group would wait for it.
      this.logIsLookedAt = true;
      const fault = writer.foldLog(this.foldIsWanted);
      if (fault) this.post({ unfolded: fault });
      this.foldIsWanted = false;
    }
    if (!queue.isEmpty || !this.logIsLookedAt) this.schedule();
    else if (this.isStopping) {
      writer.close();
      this.post({ stopped: true });
    }
  }

  /** The error of a thread has the source around it instead of the reason, so it is caught here. */
  private attempt(run: () => void): void {
    try {
      run();
    } catch (fault) {
      this.writer = undefined;
      this.post({ broken: readReason(fault) });
    }
  }
}
