import { readReason } from '../core/thrown.ts';
import { shareAddon } from './addon.ts';
import { Writer } from './group-commit.ts';
import { GroupQueue } from './group-queue.ts';
import type { AnyWriteOp } from './operation.ts';
import type { FromThread, ThreadCall, ThreadPort, ThreadStart, ToThread } from './thread.ts';

/** The writer thread: commits one group after the other, and checkpoints the write-ahead log between them. */
export function serveWrites(operations: readonly AnyWriteOp[], port: ThreadPort): void {
  const loop = new WriteLoop(operations, (message) => port.postMessage(message));
  port.onmessage = ({ data }: MessageEvent<ToThread>) => loop.take(data);
}

class WriteLoop {
  private readonly queue: GroupQueue;
  private writer: Writer | undefined;
  private isScheduled = false;
  /** Whether the size of the write-ahead log was checked since the last group. */
  private logIsChecked = true;
  private checkpointIsWanted = false;
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
    else if ('checkpoint' in data) {
      this.checkpointIsWanted = true;
      this.logIsChecked = false;
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
    // A call that arrives alone runs at once: the main thread holds back others until this one is answered.
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
    // The writer is broken: the main thread has rejected the waiting calls, and the program ends.
    if (!writer) return;
    if (!queue.isEmpty) {
      const began = performance.now();
      const answers = writer.commitGroup(queue.take());
      const { trouble } = writer;
      this.post({ answers, groupMs: performance.now() - began, trouble, ...writer.takeNotices() });
      this.logIsChecked = false;
    } else if (!this.logIsChecked) {
      // Here, not within a commit: the whole group would wait for the checkpoint.
      this.logIsChecked = true;
      const fault = this.checkpointIsWanted ? writer.checkpoint(1) : writer.checkpoint();
      if (fault) this.post({ checkpointFault: fault });
      this.checkpointIsWanted = false;
    }
    if (!queue.isEmpty || !this.logIsChecked) this.schedule();
    else if (this.isStopping) {
      writer.close();
      this.post({ stopped: true });
    }
  }

  /** Reports an error itself: the error event of a thread has lines of its source instead of the reason. */
  private attempt(run: () => void): void {
    try {
      run();
    } catch (fault) {
      const { writer } = this;
      this.writer = undefined;
      this.post({ broken: readReason(fault) });
      // The end of the thread would close the store as well, but without a look at its log.
      writer?.close();
    }
  }
}
