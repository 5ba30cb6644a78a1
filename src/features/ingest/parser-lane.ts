import type { Log } from '../../platform/core/log.ts';
import type { Meters } from '../../platform/core/meters.ts';
import type { MailFindings, MailToCheck } from '../../platform/mail/checks/found.ts';
import type { DeliveryReport } from '../../platform/mail/dsn.ts';
import type { FrameLook, Quotable, QuoteLook, RawSource, SafeHtml } from '../../platform/mail/parsed.ts';
import type { ParserJob, ParserResult, StorableMail } from '../../platform/mail/parser-protocol.ts';
import {
  type ProcessCommand,
  type ProcessEvents,
  WatchedProcess,
} from '../../platform/process/watched-process.ts';
import { FairQueue } from './fair-queue.ts';
import type { KillBudget } from './kill-budget.ts';
import { parserProtocol } from './parser-answers.ts';

/*
 * One lane of parser processes (features/ingest/parser-pool.ts), started with the first mail and ended after an idle
 * time. When a process is killed, each mail it held is retried in a process of its own, so that the honest ones get
 * through and no other mail waits for the hostile one. If that process is killed too, only the headers are read. If
 * even that fails, the caller gets null and stores just the raw bytes. Waiting mails and retries both take turns
 * (features/ingest/fair-queue.ts). When the machine can't start a process, no mail is to blame: what needs one is
 * rejected, so that its sender tries again.
 */

/** Above this a process is refilled in batches, since a message to it costs as much as a fifth of a small mail. */
const IN_HAND_ENOUGH = 4;
const GIVEN_MIN = 4;
/** Bytes of mail per process: another network's mail must not wait for sixteen mails of 256 KB. */
const IN_HAND_BYTES_MAX = 512 * 1024;
/** The next mail waits 0.1 s for a new process, which a person who tries one mail after another would feel. */
const IDLE_MS = 60_000;
const NOT_BEGUN = 'a parser process ended before it had begun';

/** Answers arrive in the order of the jobs. */
type ParserProcess = WatchedProcess<ParserJob, ParserResult>;

type Want =
  | { want: 'mail' | 'report' | 'findings' }
  | { want: 'quotable'; look: QuoteLook }
  | { want: 'attachment'; index: number }
  | { want: 'safe_html'; look: FrameLook };
type Outcome =
  | StorableMail
  | { attachment: Uint8Array | null }
  | { report: DeliveryReport | null }
  | { quotable: Quotable }
  | { safe_html: SafeHtml }
  | { findings: MailFindings }
  | null;

/** The party that something is read for. */
export interface Asker {
  /** The owner whose turn it uses. */
  turn: string;
  /** Bytes to read. */
  cost: number;
  /** The client network charged for a kill. Absent for mail that the operator imports. */
  network?: string;
}

interface Task extends Asker {
  id: number;
  raw: RawSource;
  want: Want;
  /** How the mail is tried: like any other, alone, or headers only. */
  stage: 'first' | 'alone' | 'headers';
  settle: (outcome: Outcome) => void;
  reject: (fault: Error) => void;
}

export interface LaneBounds {
  /** Processes in use. */
  processes: number;
  /** Suspects tried at the same time. More wait. */
  suspects: number;
  /** Tasks per process. More would only wait there instead of here. */
  inHand: number;
  /** Processor time for a task that is not tried alone. Absent: the same as alone. */
  workMsMax?: number;
  /** After a kill, only the headers of its network's mails are read. */
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
    private readonly command: ProcessCommand,
    private readonly log: Log,
    private readonly meters: Meters,
    private readonly bounds: LaneBounds,
    /** Null: no network is charged for a kill. */
    private readonly kills: KillBudget | null,
  ) {}

  /** The mail as it will be stored; null when nothing could be read. */
  async parse(raw: RawSource, asker: Asker): Promise<StorableMail | null> {
    const outcome = await this.enter(raw, asker, { want: 'mail' });
    return outcome && 'summary' in outcome ? outcome : null;
  }

  async attachment(raw: RawSource, index: number, asker: Asker): Promise<Uint8Array | null> {
    const outcome = await this.enter(raw, asker, { want: 'attachment', index });
    return outcome && 'attachment' in outcome ? outcome.attachment : null;
  }

  /** The delivery report; null when the mail is not one or could not be read. */
  async report(raw: RawSource, asker: Asker): Promise<DeliveryReport | null> {
    const outcome = await this.enter(raw, asker, { want: 'report' });
    return outcome && 'report' in outcome ? outcome.report : null;
  }

  async quotable(json: Uint8Array, look: QuoteLook, asker: Asker): Promise<Quotable | null> {
    const outcome = await this.enter({ bytes: json }, asker, { want: 'quotable', look });
    return outcome && 'quotable' in outcome ? outcome.quotable : null;
  }

  async safeHtml(html: string, look: FrameLook, asker: Asker): Promise<SafeHtml | null> {
    const outcome = await this.enter({ bytes: Buffer.from(html) }, asker, {
      want: 'safe_html',
      look,
    });
    return outcome && 'safe_html' in outcome ? outcome.safe_html : null;
  }

  async findings(mail: MailToCheck, asker: Asker): Promise<MailFindings | null> {
    const json = Buffer.from(JSON.stringify(mail));
    const outcome = await this.enter({ bytes: json }, asker, { want: 'findings' });
    return outcome && 'findings' in outcome ? outcome.findings : null;
  }

  /** Starts a process in advance of a mail. */
  warm(): void {
    // Without one, the mail itself tries again, and says so.
    if (!this.stopped && this.processes.size === 0) this.start();
    this.awaitIdle();
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

  private enter(raw: RawSource, asker: Asker, want: Want): Promise<Outcome> {
    return new Promise((settle, reject) => {
      this.waiting.push({ ...asker, id: this.nextId++, raw, want, stage: 'first', settle, reject });
      this.hand();
    });
  }

  /** Hands waiting tasks to the process that holds the fewest. */
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
        held.bytes += countBytes(task);
      }
      held.tasks.push(...given);
      process.assign(given.map((task) => this.toJob(task)));
    }
  }

  private freest(): ParserProcess | undefined {
    let best: ParserProcess | undefined;
    for (const process of this.processes.keys()) {
      if (!best || process.inHand < best.inHand) best = process;
    }
    const { inHand, processes } = this.bounds;
    const busy = !best || best.inHand > inHand / 2;
    if (busy && this.processes.size < processes) {
      const started = this.start();
      if (!(started instanceof Error)) return started;
      // Those that run do all the work until another can be started.
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
      onResults: (results) => this.finish(process, results),
      onEnd: (reason) => this.bury(process, reason),
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

  private finish(process: ParserProcess, results: ParserResult[]): void {
    const held = this.processes.get(process);
    for (const result of results) {
      const task = held?.tasks[0];
      if (!held || !task) return;
      if (task.id !== result.id) {
        process.distrust();
        return;
      }
      held.tasks.shift();
      held.bytes -= countBytes(task);
      if ('fault' in result) this.log.warn('a mail could not be parsed', { reason: result.fault });
      task.settle('fault' in result ? null : result);
    }
    this.hand();
    this.awaitIdle();
  }

  /** Any task it held may be the cause: answers come in batches, and the last ones may be missing. */
  private bury(process: ParserProcess, reason: string): void {
    const suspects = this.processes.get(process)?.tasks ?? [];
    this.processes.delete(process);
    if (suspects.length > 0) {
      this.meters.count('parser_kills_total', { reason });
      this.log.warn('a parser process was ended; each of its mails is retried alone', {
        reason,
        mails: suspects.length,
      });
      // Newest first: the culprit is among the oldest and should not hold up the others again.
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
    const end = (report: () => void) => {
      this.alone.delete(process);
      report();
      this.tryAlone();
    };
    const events: ProcessEvents<ParserResult> = {
      onResults: ([result]) => {
        if (result?.id !== task.id) {
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

  private awaitIdle(): void {
    if (this.idle) {
      this.idle.refresh();
      return;
    }
    this.idle = setTimeout(() => this.endIdle(), IDLE_MS);
    this.idle.unref();
  }

  private endIdle(): void {
    this.idle = undefined;
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

/** Mails in files do not count: a lane for files holds one task per process. */
function countBytes({ raw }: Task): number {
  return 'bytes' in raw ? raw.bytes.length : 0;
}
