import { makeHeapEnv } from '../core/heap-bound.ts';
import { readReason } from '../core/thrown.ts';
import { type FilePasser, openFilePasser } from '../system/passed-files.ts';
import { Channel } from './channel.ts';
import { readFootprint, readWorkMs } from './footprint.ts';
import { type Frame, type FrameBounds, type Greeting, isHeartbeat, readGreeting } from './frames.ts';
import { keepVersion } from './own-program.ts';

/**
 * A process that works this long without an answer is stuck on a hostile mail (measured: 19 s in one expression).
 * Only its own processor time counts, so that no honest mail fails on a busy or suspended machine.
 */
const WORK_MS_MAX = 2_500;
/** Memory of a process. An honest mail of 25 MiB needs less than half of it; hostile ones took gigabytes. */
const MEMORY_BYTES_MAX = 768 * 1024 * 1024;
/**
 * Memory that the engine assumes. Enough for a few mails; saves 15 MB at no loss of speed (measured, also for large
 * mails).
 */
const HEAP_BYTES = 192 * 1024 * 1024;
const LOOK_EVERY_MS = 100;
/**
 * A process that has not answered after this many looks, six seconds, hangs without working. Elapsed time would count against it
 * while the machine stands still (a container that is paused).
 */
const SILENT_LOOKS_MAX = 60;
/**
 * How many times as long a process may take until it runs, because no mail can prolong that. On an emulated machine it took more
 * than WORK_MS_MAX, and no mail was accepted.
 */
const START_TIMES = 10;
/** What a process may write to stderr, such as the reason of a crash. One that was taken over wrote 5 GB into the log in 11 s. */
const WRITTEN_BYTES_MAX = 64 * 1024;
const REMEDY =
  'Raise the limit that is reached: processes (TasksMax=, ulimit -u), open files (LimitNOFILE=, ulimit -n) or memory';
/** Threads of a process. An honest one has a few; one that was taken over could use up those that the server's user may have. */
const THREADS_MAX = 256;

/** Signs of life since the last result: as many as a check sends in a minute, three times as long as it may take. */
const HEARTBEATS_MAX = 120;
/** How many of them may arrive at a time, besides results. */
const HEARTBEATS_AT_ONCE = 16;

/** How jobs and results become frames, and what a result may be at most. */
export interface Protocol<Job, Result> {
  /** The largest head of a result. */
  readonly headBytesMax: number;
  /** Whether the process sends signs of life while it waits, for example for the DNS. */
  readonly hasPulse: boolean;
  /** Returns the file that the process reads for this job, if any. Absent if there are no such jobs. */
  findFile?(job: Job): string | null;
  /** @param isPassed whether that file is passed to the process open, so that it need not open it. */
  encode(job: Job, isPassed: boolean): Uint8Array;
  /** Returns the most bytes that may follow the head of this job's result. */
  resultBytesMax(job: Job): number;
  /** Throws for anything that is not a result, so that a process taken over by a mail can harm nothing else. */
  decode(frame: Frame): Result;
}

export interface ProcessEvents<Result> {
  onResults(results: Result[]): void;
  /**
   * Called when the process has ended or was killed. The caller reassigns its unanswered jobs. `hasBegun` is false if
   * it got none of them; the machine is then the cause, and no job.
   */
  onEnd(reason: string, hasBegun: boolean): void;
  /** Called when the process begins, if this system is Linux and yet does not let it confine itself (platform/system/confine.ts). */
  onUnconfined?(reason: string): void;
}

/**
 * A child process that works on mail from strangers, with a watchdog. Its first frame, a greeting, says that it runs, and jobs
 * wait for that. The constructor throws if the machine can't start a process (no memory, descriptors or processes
 * left).
 */
export class WatchedProcess<Job, Result> {
  /** Answers that are still to come. */
  inHand = 0;
  private readonly child: Bun.Subprocess;
  private readonly channel: Channel;
  /** Null if it reads no files, or the system can't pass them. */
  private readonly files: FilePasser | null;
  /** Looks since its last message. */
  private silentLooks = 0;
  /** Its processor time at the first check after its last message; null until then. */
  private workMsThen: number | null = null;
  private reason = 'it ended';
  private ended = false;
  private hasBegun = false;
  private isKilled = false;
  /** Signs of life since its last result. */
  private heartbeats = 0;
  private readonly bounds: { -readonly [Bound in keyof FrameBounds]: FrameBounds[Bound] };
  /** Jobs that wait until it runs. */
  private early: Uint8Array[] = [];
  private readonly watch: Timer;

  constructor(
    command: readonly string[],
    private readonly protocol: Protocol<Job, Result>,
    private readonly events: ProcessEvents<Result>,
    /** The maximum of its processor time without an answer. */
    private readonly workMsMax = WORK_MS_MAX,
  ) {
    const readsFiles = protocol.findFile !== undefined;
    this.child = spawnChild(command, readsFiles, () => {
      clearInterval(this.watch);
      this.channel.close();
      this.files?.close();
      if (this.ended) return;
      this.ended = true;
      events.onEnd(this.reason, this.hasBegun);
    });
    this.bounds = { headBytes: protocol.headBytesMax, bytes: 0, frames: HEARTBEATS_AT_ONCE };
    const channelEvents = {
      onFrames: (frames: Frame[]) => this.take(frames),
      // The process is ending, or it sent nonsense.
      onEnd: (fault: unknown) => (fault === undefined ? this.child.kill('SIGKILL') : this.distrust()),
    };
    this.channel = new Channel(this.child.stdio[3] as number, channelEvents, this.bounds);
    this.files = readsFiles ? openFilePasser(this.child.stdio[4] as number) : null;
    void this.passOn(this.child.stderr as ReadableStream<Uint8Array>).catch(() => {});
    this.watch = setInterval(() => this.look(), LOOK_EVERY_MS);
    this.watch.unref();
  }

  get pid(): number {
    return this.child.pid;
  }

  /** Sends jobs. @param answers how many results they produce. */
  assign(jobs: Job[], answers = jobs.length): void {
    if (this.inHand === 0) {
      this.hear();
      this.bounds.bytes = 0;
    }
    for (const job of jobs)
      this.bounds.bytes = Math.max(this.bounds.bytes, this.protocol.resultBytesMax(job));
    this.expect(this.inHand + answers);
    const frames = jobs.map((job) => this.protocol.encode(job, this.passFile(job)));
    if (this.isKilled) return;
    if (this.hasBegun) this.channel.send(frames);
    else this.early.push(...frames);
  }

  /** Passes the file of a job, if it has one. Returns false where files can't be passed. */
  private passFile(job: Job): boolean {
    const file = this.protocol.findFile?.(job) ?? null;
    if (file === null || !this.files) return false;
    try {
      this.files.pass(file);
    } catch (fault) {
      this.kill(`it could not be passed a file: ${readReason(fault)}`);
    }
    return true;
  }

  /** Ends the process without calling onEnd. It must have no jobs that anyone waits for. */
  stop(): void {
    this.ended = true;
    clearInterval(this.watch);
    this.channel.close();
    this.child.kill('SIGKILL');
  }

  /** Kills the process because of a wrong answer. onEnd follows. */
  distrust(): void {
    this.kill('its answer could not be read');
  }

  /** Passes on what the process writes to stderr, up to the bound. */
  private async passOn(written: ReadableStream<Uint8Array>): Promise<void> {
    let bytes = 0;
    for await (const piece of written) {
      bytes += piece.length;
      if (bytes > WRITTEN_BYTES_MAX) {
        this.kill('it wrote too much');
        return;
      }
      process.stderr.write(piece);
    }
  }

  private take(frames: readonly Frame[]): void {
    if (this.ended || this.isKilled) return;
    const results: Result[] = [];
    try {
      for (const frame of frames) {
        if (!this.hasBegun) this.begin(readGreeting(frame));
        else if (isHeartbeat(frame)) this.takeHeartbeat();
        else if (results.length < this.inHand) results.push(this.protocol.decode(frame));
        else throw new Error('more answers than questions');
      }
    } catch {
      this.distrust();
      return;
    }
    if (results.length === 0) return;
    this.hear();
    this.expect(this.inHand - results.length);
    this.events.onResults(results);
  }

  /** If they were unlimited, a process that was taken over would never end. */
  private takeHeartbeat(): void {
    this.heartbeats += 1;
    if (!this.protocol.hasPulse || this.heartbeats > HEARTBEATS_MAX)
      throw new Error('more signs of life than expected');
    this.silentLooks = 0;
    this.workMsThen = null;
  }

  private expect(answers: number): void {
    this.inHand = answers;
    this.bounds.frames = answers + HEARTBEATS_AT_ONCE;
  }

  private begin({ unconfined }: Greeting): void {
    this.hear();
    this.hasBegun = true;
    if (unconfined !== null) this.events.onUnconfined?.(unconfined);
    this.channel.send(this.early);
    this.early = [];
  }

  private hear(): void {
    this.heartbeats = 0;
    this.silentLooks = 0;
    this.workMsThen = null;
  }

  /** Looks also while it has nothing to do: one that was taken over may work all the same. */
  private look(): void {
    const { pid } = this.child;
    const workMs = readWorkMs(pid);
    this.workMsThen ??= workMs;
    const times = this.hasBegun ? 1 : START_TIMES;
    const hasWorkedLong = workMs - this.workMsThen > this.workMsMax * times;
    this.silentLooks = this.inHand === 0 ? 0 : this.silentLooks + 1;
    if (hasWorkedLong || this.silentLooks > SILENT_LOOKS_MAX * times) this.kill('it took too long');
    const { memoryBytes, threads, isHeadless } = readFootprint(pid);
    if (memoryBytes > MEMORY_BYTES_MAX) this.kill('it took too much memory');
    if (threads > THREADS_MAX) this.kill('it started too many threads');
    if (isHeadless) this.kill(this.reason);
  }

  /** Kills the process. Nothing of what it has sent, or goes on sending until it is gone, is read. */
  private kill(reason: string): void {
    if (!this.isKilled) this.reason = reason;
    this.isKilled = true;
    this.channel.close();
    this.child.kill('SIGKILL');
  }
}

function spawnChild(command: readonly string[], readsFiles: boolean, onExit: () => void): Bun.Subprocess {
  try {
    return Bun.spawn(keepVersion(command), {
      // The child needs nothing else from the environment, and a mail can't steal what is not there.
      env: { PATH: process.env.PATH ?? '', ...makeHeapEnv(HEAP_BYTES) },
      // The channel, and what files are passed over: two pairs of sockets (parent.ts).
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', ...(readsFiles ? (['pipe'] as const) : [])],
      onExit,
    });
  } catch (fault) {
    const reason = readReason(fault);
    throw new Error(`no process can be started: ${reason}. ${REMEDY}`, { cause: fault });
  }
}
