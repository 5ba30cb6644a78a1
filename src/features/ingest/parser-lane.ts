import type { Log } from '../../platform/core/log.ts';
import type { Meters } from '../../platform/core/meters.ts';
import type { DeliveryReport } from '../../platform/mail/dsn.ts';
import type { Quotable, RawSource } from '../../platform/mail/parsed.ts';
import type { ParserJob, ParserResult, StorableMail } from '../../platform/mail/parser-protocol.ts';
import { FairQueue } from './fair-queue.ts';
import type { KillBudget } from './kill-budget.ts';
import { type ProcessCommand, WatchedProcess } from './watched-process.ts';

/*
 * One lane of parser processes (features/ingest/parser-pool.ts), started with the first mail and ended when there has been
 * none for a while. When one is killed, each of the mails that it had in hand is tried once more in a process of
 * its own: the honest ones come through, and no other mail waits for the hostile one. When that one is killed too,
 * the mail is read by its headers alone; when even that fails, the caller gets null and stores it with nothing but
 * its raw bytes. What waits takes turns (features/ingest/fair-queue.ts), and so do the mails that are tried once more.
 */

/** One that has more in hand is given some at a time: a message costs as much as a fifth of a small mail. */
const IN_HAND_ENOUGH = 4;
const GIVEN_MIN = 4;
/** Bytes of the mails that a process has in hand: another network's mail must not wait for sixteen of 256 KB. */
const IN_HAND_BYTES_MAX = 512 * 1024;
const IDLE_MS = 20_000;

/** It answers in the order in which the jobs were given. */
type ParserProcess = WatchedProcess<ParserJob, ParserResult>;

type Want =
  | { want: 'mail' | 'quotable' | 'report' }
  | { want: 'attachment'; index: number }
  | { want: 'safe_html'; remoteImages: boolean };
type Outcome =
  | StorableMail
  | { attachment: Uint8Array | null }
  | { report: DeliveryReport | null }
  | { quotable: Quotable }
  | { safe_html: string }
  | null;

/** For whom something is read. */
export interface Asker {
  /** Whose turn it takes in a lane. */
  turn: string;
  /** Bytes of what is read. */
  cost: number;
  /** The client network that is charged for a kill; absent where nobody is (mail that the operator imports). */
  network?: string;
}

interface Task extends Asker {
  id: number;
  raw: RawSource;
  want: Want;
  /** How far the mail has come: as any other, alone, by its headers. */
  stage: 'first' | 'alone' | 'headers';
  settle: (outcome: Outcome) => void;
}

export interface LaneBounds {
  /** Processes at work. */
  processes: number;
  /** Suspects that are tried at the same time; more wait. */
  suspects: number;
  /** Tasks that one process has in hand; more would only wait there instead of here. */
  inHand: number;
  /** Processor time for one task when it is not tried alone; absent: as long as then. */
  workMsMax?: number;
  /** After a kill, the mails of its network are read by their headers alone. */
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
  /** What each process has in hand. */
  private readonly processes = new Map<ParserProcess, Held>();
  /** Those that try a suspect. */
  private readonly alone = new Set<ParserProcess>();
  private nextId = 1;
  private idle: Timer | undefined;
  private stopped = false;

  constructor(
    private readonly command: ProcessCommand,
    private readonly log: Log,
    private readonly meters: Meters,
    private readonly bounds: LaneBounds,
    /** Null: nobody is charged for a kill. */
    private readonly kills: KillBudget | null,
  ) {}

  /** A mail as it is stored; null when nothing at all could be read of it. */
  async parse(raw: RawSource, asker: Asker): Promise<StorableMail | null> {
    const outcome = await this.enter(raw, asker, { want: 'mail' });
    return outcome && 'summary' in outcome ? outcome : null;
  }

  async attachment(raw: RawSource, index: number, asker: Asker): Promise<Uint8Array | null> {
    const outcome = await this.enter(raw, asker, { want: 'attachment', index });
    return outcome && 'attachment' in outcome ? outcome.attachment : null;
  }

  /** Null when it is no delivery report, or nobody could read it. */
  async report(raw: RawSource, asker: Asker): Promise<DeliveryReport | null> {
    const outcome = await this.enter(raw, asker, { want: 'report' });
    return outcome && 'report' in outcome ? outcome.report : null;
  }

  async quotable(content: Uint8Array, asker: Asker): Promise<Quotable | null> {
    const outcome = await this.enter({ bytes: content }, asker, { want: 'quotable' });
    return outcome && 'quotable' in outcome ? outcome.quotable : null;
  }

  async safeHtml(html: string, remoteImages: boolean, asker: Asker): Promise<string | null> {
    const outcome = await this.enter({ bytes: Buffer.from(html) }, asker, {
      want: 'safe_html',
      remoteImages,
    });
    return outcome && 'safe_html' in outcome ? outcome.safe_html : null;
  }

  /** Starts a process ahead of the mail that is about to come. */
  warm(): void {
    if (!this.stopped && this.processes.size === 0) this.start();
    this.awaitIdle();
  }

  /** Process ids, for whoever measures. */
  get pids(): number[] {
    return [...this.processes.keys(), ...this.alone].map((process) => process.pid);
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.idle);
    for (const process of [...this.processes.keys(), ...this.alone]) process.stop();
    this.processes.clear();
    this.alone.clear();
  }

  private enter(raw: RawSource, asker: Asker, want: Want): Promise<Outcome> {
    return new Promise((settle) => {
      this.waiting.push({ ...asker, id: this.nextId++, raw, want, stage: 'first', settle });
      this.hand();
    });
  }

  /** Gives what waits to whoever has the least in hand. */
  private hand(): void {
    while (this.waiting.length > 0 && !this.stopped) {
      const process = this.freest();
      if (!process || (process.inHand > IN_HAND_ENOUGH && this.waiting.length < GIVEN_MIN)) return;
      const held = this.processes.get(process)!;
      const given: Task[] = [];
      while (process.inHand + given.length < this.bounds.inHand && held.bytes < IN_HAND_BYTES_MAX) {
        const task = this.waiting.shift();
        if (!task) break;
        given.push(task);
        held.bytes += bytesOf(task);
      }
      held.tasks.push(...given);
      process.give(given.map((task) => this.toJob(task)));
    }
  }

  private freest(): ParserProcess | undefined {
    let best: ParserProcess | undefined;
    for (const process of this.processes.keys()) {
      if (!best || process.inHand < best.inHand) best = process;
    }
    const { inHand, processes } = this.bounds;
    const busy = !best || best.inHand > inHand / 2;
    if (busy && this.processes.size < processes) return this.start();
    const hasRoom = best && best.inHand < inHand && this.processes.get(best)!.bytes < IN_HAND_BYTES_MAX;
    return hasRoom ? best : undefined;
  }

  private start(): ParserProcess {
    const process: ParserProcess = new WatchedProcess(
      this.command,
      {
        onResults: (results) => this.finish(process, results),
        onEnd: (reason) => this.bury(process, reason),
      },
      this.bounds.workMsMax,
    );
    this.processes.set(process, { tasks: [], bytes: 0 });
    return process;
  }

  private finish(process: ParserProcess, results: ParserResult[]): void {
    const held = this.processes.get(process);
    for (const result of results) {
      const task = held?.tasks.shift();
      if (!held || !task || task.id !== result.id) return;
      held.bytes -= bytesOf(task);
      if ('fault' in result) this.log.warn('a mail could not be parsed', { reason: result.fault });
      task.settle('fault' in result ? null : result);
    }
    this.hand();
    this.awaitIdle();
  }

  /** Any of those in hand may be the one: answers are sent by the handful, and some of the last were not yet. */
  private bury(process: ParserProcess, reason: string): void {
    const suspects = this.processes.get(process)?.tasks ?? [];
    this.processes.delete(process);
    if (suspects.length > 0) {
      this.meters.count('parser_kills_total', { reason });
      this.log.warn('a parser process was ended; its mails are tried once more alone', {
        reason,
        mails: suspects.length,
      });
      // The newest first: the one that held the process is among the oldest, and need not hold up the rest again.
      for (const task of suspects.reverse()) this.suspects.push({ ...task, stage: 'alone' });
      for (let free = this.bounds.suspects; free > 0; free--) this.tryAlone();
    }
    this.hand();
  }

  private tryAlone(): void {
    if (this.alone.size >= this.bounds.suspects || this.stopped) return;
    const task = this.suspects.shift();
    if (task) this.runAlone(task);
  }

  private runAlone(task: Task): void {
    if (this.stopped) return;
    const settle = (outcome: Outcome) => {
      this.alone.delete(process);
      task.settle(outcome);
      this.tryAlone();
    };
    const process: ParserProcess = new WatchedProcess(this.command, {
      onResults: ([result]) => {
        process.stop();
        settle(!result || 'fault' in result ? null : result);
      },
      onEnd: (reason) => {
        this.meters.count('parser_kills_total', { reason });
        this.charge(task);
        if (task.want.want !== 'mail' || task.stage === 'headers') return settle(null);
        this.log.warn('a mail could not be parsed; it is stored raw, with what its headers tell', { reason });
        this.alone.delete(process);
        this.runAlone({ ...task, stage: 'headers' });
      },
    });
    this.alone.add(process);
    process.give([this.toJob(task)]);
  }

  private charge({ network }: Task): void {
    if (network === undefined || !this.kills?.charge(network)) return;
    this.log.warn('large mails of a network are read by their headers alone for a while', { network });
  }

  private toJob(task: Task): ParserJob {
    const { id, raw, network, want } = task;
    const isRefused = this.bounds.headersAfterKill && network !== undefined && this.kills?.isSpent(network);
    if (task.stage === 'headers' || (isRefused && want.want === 'mail')) return { id, raw, want: 'headers' };
    return { id, raw, ...want };
  }

  private awaitIdle(): void {
    clearTimeout(this.idle);
    this.idle = setTimeout(() => this.endIdle(), IDLE_MS);
    this.idle.unref();
  }

  private endIdle(): void {
    for (const [process, { tasks }] of this.processes) {
      if (tasks.length > 0) {
        this.awaitIdle();
        return;
      }
      process.stop();
      this.processes.delete(process);
    }
  }
}

/** What is in a file does not count: a lane for files has one task in hand. */
function bytesOf({ raw }: Task): number {
  return 'bytes' in raw ? raw.bytes.length : 0;
}
