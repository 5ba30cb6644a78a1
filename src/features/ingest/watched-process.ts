import { readFileSync } from 'node:fs';
import { heapBound } from '../../platform/core/heap-bound.ts';

/**
 * A process that has worked for so long without an answer is held by a hostile mail (measured: 19 s in one
 * expression). Its own time counts, so that a busy or suspended machine fails no honest mail.
 */
const WORK_MS_MAX = 2_500;
/** The same by the clock on the wall, for one that hangs without working. */
const SILENCE_MS_MAX = 6_000;
/** An honest mail of 25 MiB needs less than half of this; hostile ones took gigabytes. */
const RSS_BYTES_MAX = 768 * 1024 * 1024;
/** It holds a few mails: 15 MB less at work, and as quick (measured, large mails too). */
const HEAP_BYTES = 192 * 1024 * 1024;
const LOOK_EVERY_MS = 100;
const PAGE_BYTES = 4096;
/** Linux counts a process's time in hundredths of a second (USER_HZ, proc(5)). */
const TICK_MS = 10;

/** How to start such a process: a compiled executable starts itself, a checkout starts Bun with main.ts. */
export interface ProcessCommand {
  command: readonly string[];
}

export interface ProcessEvents<Result> {
  onResults(results: Result[]): void;
  /** It ended, or was killed; what it had not answered is to be given to another. */
  onEnd(reason: string): void;
}

/** A child process that works on strangers' mails, with its watchdog. */
export class WatchedProcess<Job, Result> {
  /** Jobs that were given and not answered. */
  inHand = 0;
  private readonly child: Bun.Subprocess;
  private heardAt = performance.now();
  /** What it had worked when it was first looked at since it was heard; null until then. */
  private workMsThen: number | null = null;
  private reason = 'it ended';
  private ended = false;
  private readonly watch: Timer;

  constructor(
    start: ProcessCommand,
    events: ProcessEvents<Result>,
    /** Processor time without an answer. */
    private readonly workMsMax = WORK_MS_MAX,
  ) {
    this.child = Bun.spawn([...start.command], {
      // The child needs nothing from the environment; what it does not have, a mail can't get out of it.
      env: { PATH: process.env.PATH ?? '', ...heapBound(HEAP_BYTES) },
      stdio: ['ignore', 'inherit', 'inherit'],
      serialization: 'advanced',
      ipc: (results: Result[]) => {
        this.hear();
        this.inHand -= results.length;
        events.onResults(results);
      },
      onExit: () => {
        clearInterval(this.watch);
        if (this.ended) return;
        this.ended = true;
        events.onEnd(this.reason);
      },
    });
    // Not unref'd: Bun 1.4's event loop then costs 120 µs more for each message sent to the child (measured).
    this.watch = setInterval(() => this.look(), LOOK_EVERY_MS);
    this.watch.unref();
  }

  get pid(): number {
    return this.child.pid;
  }

  /** `answers`: how many results it is to give for these. Results of none are a sign of life. */
  give(jobs: Job[], answers = jobs.length): void {
    if (this.inHand === 0) this.hear();
    this.inHand += answers;
    this.child.send(jobs);
  }

  /** Ends it without onEnd: it has nothing in hand that anybody waits for. */
  stop(): void {
    this.ended = true;
    clearInterval(this.watch);
    this.child.kill('SIGKILL');
  }

  private hear(): void {
    this.heardAt = performance.now();
    this.workMsThen = null;
  }

  private look(): void {
    if (this.inHand === 0) return;
    const { pid } = this.child;
    const workMs = workOf(pid);
    this.workMsThen ??= workMs;
    const hasWorkedLong = workMs - this.workMsThen > this.workMsMax;
    if (hasWorkedLong || performance.now() - this.heardAt > SILENCE_MS_MAX) this.kill('it took too long');
    else if (rssOf(pid) > RSS_BYTES_MAX) this.kill('it took too much memory');
  }

  private kill(reason: string): void {
    this.reason = reason;
    this.child.kill('SIGKILL');
  }
}

/** Resident bytes of a process; 0 where the system does not tell. */
function rssOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * PAGE_BYTES;
  } catch {
    return 0;
  }
}

/** Processor time of a process, milliseconds; 0 where the system does not tell. */
function workOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name, in brackets, may hold anything; utime and stime are the 12th and 13th behind it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return 0;
  }
}
