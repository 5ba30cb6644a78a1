import type { Log } from '../../platform/core/log.ts';
import type { Meters } from '../../platform/core/meters.ts';
import type { FrameLook, QuoteLook, RawSource } from '../../platform/mail/parsed.ts';
import type { ParserJob, ParserResult } from '../../platform/mail/parser-protocol.ts';
import { warnUnconfined } from '../../platform/process/unconfined.ts';
import { type ProcessEvents, WatchedProcess } from '../../platform/process/watched-process.ts';
import { FairQueue } from './fair-queue.ts';
import type { KillBudget } from './kill-budget.ts';
import { parserProtocol } from './parser-answers.ts';

/*
 * One lane of parser processes (features/ingest/parser-pool.ts). They start with the first mail and end when idle. When
 * a process is killed, each mail that it held is retried in a process of its own, so that the honest ones get through
 * and no other mail waits for the hostile one. If that process is killed too, only the headers are read. If even that
 * fails, the caller gets null and stores just the raw bytes. Waiting mails and retries both take turns (fair-queue.ts).
 * If the machine can't start a process, the mails that need one are rejected, so that their senders try again.
 */

/** Above this many tasks, a process gets more only in batches: a message to it costs as much as a fifth of a small mail. */
const BATCH_ABOVE = 4;
const BATCH_MIN = 4;
/** Bytes of mail per process. Keeps another network's mail from waiting for sixteen mails of 256 KB. */
const IN_HAND_BYTES_MAX = 512 * 1024;
/** A new process takes 0.1 s, which someone who tries one mail after another would feel if this were shorter. */
const IDLE_MS = 60_000;
const NOT_BEGUN = 'a parser process ended before it had begun';

/** Its results arrive in the order of the jobs. */
type ParserProcess = WatchedProcess<ParserJob, ParserResult>;

/** What to read from a mail. */
export type WantedPart =
  | { want: 'mail' | 'report' | 'findings' }
  | { want: 'quotable'; look: QuoteLook }
  | { want: 'attachment'; index: number }
  | { want: 'safeHtml'; look: FrameLook };
/** Null if the mail could not be read, or its process was killed. */
export type ParserOutcome = Exclude<ParserResult, { fault: string }> | null;

/** On whose behalf a mail is read. */
export interface Requester {
  /** The owner whose turn it uses: a client network or an account. */
  turn: string;
  /** How many bytes are to be read. */
  cost: number;
  /** The client network that is charged for a kill. Absent for mail that the operator imports. */
  network?: string;
}

interface Task extends Requester {
  id: number;
  raw: RawSource;
  want: WantedPart;
  /** How the mail is tried: like any other, alone, or headers only. */
  stage: 'first' | 'alone' | 'headers';
  settle: (outcome: ParserOutcome) => void;
  reject: (fault: Error) => void;
}

export interface LaneBounds {
  /** Processes at a time, besides those that try suspects. */
  processes: number;
  /** Suspects that are tried at a time. */
  suspects: number;
  /** Tasks per process. More would only wait there instead of here. */
  inHand: number;
  /** Processor time for a task that is not tried alone; by default, as much as for one that is. */
  workMsMax?: number;
  /** Whether, once a network has used up its kill budget, only the headers of its mails are read. */
  headersAfterKill?: boolean;
}

interface Held {
  /** Oldest first. */
  tasks: Task[];
  bytes: number;
}

export class ParserLane {
  private readonly waiting = new FairQueue<Task>();
  private readonly suspects = new FairQueue<Task>();
  /** The tasks that each process holds. */
  private readonly processes = new Map<ParserProcess, Held>();
  /** Processes that each try one suspect. */
  private readonly alone = new Set<ParserProcess>();
  private nextId = 1;
  private idle: Timer | undefined;
  private stopped = false;

  constructor(
    private readonly command: readonly string[],
    private readonly log: Log,
    private readonly meters: Meters,
    private readonly bounds: LaneBounds,
    /** Null if no network is charged for kills. */
    private readonly kills: KillBudget | null,
  ) {}

  /** Reads something from a mail. Rejects if no process can be started. */
  read(raw: RawSource, want: WantedPart, requester: Requester): Promise<ParserOutcome> {
    return new Promise((settle, reject) => {
      this.waiting.push({ ...requester, id: this.nextId++, raw, want, stage: 'first', settle, reject });
      this.assignWaiting();
    });
  }

  /** Starts a process before the first mail needs it. */
  prestart(): void {
    // A failure is ignored: the mail will try again, and report it.
    if (!this.stopped && this.processes.size === 0) this.start();
    this.restartIdleTimer();
  }

  /** Process ids, for measurements. */
  get pids(): number[] {
    return [...this.processes.keys(), ...this.alone].map((process) => process.pid);
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.idle);
    this.idle = undefined;
    for (const process of [...this.processes.keys(), ...this.alone]) process.stop();
    this.processes.clear();
    this.alone.clear();
  }

  /** Assigns waiting tasks to the process that holds the fewest. */
  private assignWaiting(): void {
    while (this.waiting.length > 0 && !this.stopped) {
      const process = this.pickProcess();
      if (!process || (process.inHand > BATCH_ABOVE && this.waiting.length < BATCH_MIN)) return;
      const held = this.processes.get(process)!;
      const batch: Task[] = [];
      while (process.inHand + batch.length < this.bounds.inHand && held.bytes < IN_HAND_BYTES_MAX) {
        const task = this.waiting.shift();
        if (!task) break;
        batch.push(task);
        held.bytes += countBytes(task);
      }
      held.tasks.push(...batch);
      process.assign(batch.map((task) => this.toJob(task)));
    }
  }

  /** Returns the process that holds the fewest tasks, or a new one if all are busy. Undefined if none has room. */
  private pickProcess(): ParserProcess | undefined {
    let best: ParserProcess | undefined;
    for (const process of this.processes.keys()) {
      if (!best || process.inHand < best.inHand) best = process;
    }
    const { inHand, processes } = this.bounds;
    const busy = !best || best.inHand > inHand / 2;
    if (busy && this.processes.size < processes) {
      const started = this.start();
      if (!(started instanceof Error)) return started;
      // The running processes do all the work until another can be started.
      if (!best) this.rejectAll(started);
    }
    const hasRoom = best && best.inHand < inHand && this.processes.get(best)!.bytes < IN_HAND_BYTES_MAX;
    return hasRoom ? best : undefined;
  }

  private rejectAll(fault: Error): void {
    for (let task = this.waiting.shift(); task; task = this.waiting.shift()) task.reject(fault);
  }

  private start(): ParserProcess | Error {
    const events: ProcessEvents<ParserResult> = {
      onResults: (results) => this.handleResults(process, results),
      onEnd: (reason) => this.handleEnd(process, reason),
      onUnconfined: (reason) =>
        warnUnconfined(this.log, 'the processes that read mail are not confined', reason),
    };
    let process: ParserProcess;
    try {
      process = new WatchedProcess(this.command, parserProtocol, events, this.bounds.workMsMax);
    } catch (fault) {
      return fault as Error;
    }
    this.processes.set(process, { tasks: [], bytes: 0 });
    return process;
  }

  private handleResults(process: ParserProcess, results: ParserResult[]): void {
    const held = this.processes.get(process);
    for (const result of results) {
      const task = held?.tasks[0];
      if (!held || !task) return;
      if (!isAnswerTo(task, result)) {
        process.distrust();
        return;
      }
      held.tasks.shift();
      held.bytes -= countBytes(task);
      if ('fault' in result) this.log.warn('a mail could not be parsed', { reason: result.fault });
      task.settle('fault' in result ? null : result);
    }
    this.assignWaiting();
    this.restartIdleTimer();
  }

  /** Retries the tasks of an ended process. Any of them may be the cause, because results come in batches. */
  private handleEnd(process: ParserProcess, reason: string): void {
    const suspects = this.processes.get(process)?.tasks ?? [];
    this.processes.delete(process);
    if (suspects.length > 0) {
      this.meters.count('parser_kills_total', { reason });
      this.log.warn('a parser process was ended; each of its mails is retried alone', {
        reason,
        mails: suspects.length,
      });
      // Newest first: the culprit is among the oldest, and must not hold up the others again.
      for (const task of suspects.reverse()) this.suspects.push({ ...task, stage: 'alone' });
      for (let free = this.bounds.suspects; free > 0; free--) this.tryAlone();
    }
    this.assignWaiting();
  }

  private tryAlone(): void {
    if (this.alone.size >= this.bounds.suspects || this.stopped) return;
    const task = this.suspects.shift();
    if (task) this.runAlone(task);
  }

  private runAlone(task: Task): void {
    if (this.stopped) return;
    const end = (report: () => void) => {
      this.alone.delete(process);
      report();
      this.tryAlone();
    };
    const events: ProcessEvents<ParserResult> = {
      onResults: ([result]) => {
        if (!result || !isAnswerTo(task, result)) {
          process.distrust();
          return;
        }
        process.stop();
        end(() => task.settle('fault' in result ? null : result));
      },
      onEnd: (reason, hasBegun) => {
        this.meters.count('parser_kills_total', { reason });
        if (!hasBegun) return end(() => task.reject(new Error(`${NOT_BEGUN}: ${reason}`)));
        this.charge(task);
        if (task.want.want !== 'mail' || task.stage === 'headers') return end(() => task.settle(null));
        this.log.warn('a mail could not be parsed; it is stored raw, with what its headers contain', {
          reason,
        });
        this.alone.delete(process);
        this.runAlone({ ...task, stage: 'headers' });
      },
    };
    let process: ParserProcess;
    try {
      process = new WatchedProcess(this.command, parserProtocol, events);
    } catch (fault) {
      task.reject(fault as Error);
      this.tryAlone();
      return;
    }
    this.alone.add(process);
    process.assign([this.toJob(task)]);
  }

  private charge({ network }: Task): void {
    if (network === undefined || !this.kills?.charge(network)) return;
    this.log.warn('for a while, only the headers of large mails from a network are read', { network });
  }

  private toJob(task: Task): ParserJob {
    const { id, raw, network, want } = task;
    const isRefused = this.bounds.headersAfterKill && network !== undefined && this.kills?.isSpent(network);
    if (task.stage === 'headers' || (isRefused && want.want === 'mail')) return { id, raw, want: 'headers' };
    return { id, raw, ...want };
  }

  private restartIdleTimer(): void {
    if (this.idle) {
      this.idle.refresh();
      return;
    }
    this.idle = setTimeout(() => this.stopIdleProcesses(), IDLE_MS);
    this.idle.unref();
  }

  private stopIdleProcesses(): void {
    this.idle = undefined;
    for (const [process, { tasks }] of this.processes) {
      if (tasks.length > 0) {
        this.restartIdleTimer();
        return;
      }
      process.stop();
      this.processes.delete(process);
    }
  }
}

/** The field of the answer to each job. */
const answerFields = {
  mail: 'summary',
  attachment: 'attachment',
  report: 'report',
  quotable: 'quotable',
  safeHtml: 'safeHtml',
  findings: 'findings',
} as const;

function isAnswerTo({ id, want }: Task, result: ParserResult): boolean {
  return result.id === id && ('fault' in result || answerFields[want.want] in result);
}

/** Mails in files count as 0: a lane for files has one task per process anyway. */
function countBytes({ raw }: Task): number {
  return 'bytes' in raw ? raw.bytes.length : 0;
}
