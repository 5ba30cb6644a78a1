import type { Log } from '../core/log.ts';
import type { Meters } from '../core/meters.ts';
import type { DeliveryReport } from '../mail/dsn.ts';
import type { MailReader, Quotable, RawSource } from '../mail/parsed.ts';
import type { ParserJob, ParserResult, StorableMail } from '../mail/parser-protocol.ts';
import { type ProcessCommand, WatchedProcess } from './watched-process.ts';

/*
 * One lane of parser processes (ingest/parser-pool.ts), started with the first mail and ended when there has been
 * none for a while. When one is killed, each of the mails that it had in hand is tried once more in a process of
 * its own: the honest ones come through, and no other mail waits for the hostile one. When that one is killed too,
 * the mail is read by its headers alone; when even that fails, the caller gets null and stores it with nothing but
 * its raw bytes.
 */

/** Jobs one process has in hand; more would only wait there instead of here. */
const IN_HAND_MAX = 16;
/** One that has more in hand is given some at a time: a message costs as much as a fifth of a small mail. */
const IN_HAND_ENOUGH = 4;
const GIVEN_MIN = 4;
const IDLE_MS = 20_000;

/** It answers in the order in which the jobs were given. */
type ParserProcess = WatchedProcess<ParserJob, ParserResult>;

type Want =
  | { want: 'mail' | 'quotable' | 'report' }
  | { want: 'attachment'; index: number }
  | { want: 'safe_html'; remote_images: boolean };
type Outcome =
  | StorableMail
  | { attachment: Uint8Array | null }
  | { report: DeliveryReport | null }
  | { quotable: Quotable }
  | { safe_html: string }
  | null;

interface Task {
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
}

export class ParserLane implements MailReader {
  private readonly waiting: Task[] = [];
  private readonly suspects: Task[] = [];
  /** What each process has in hand, oldest first. */
  private readonly processes = new Map<ParserProcess, Task[]>();
  /** Those that try a suspect. */
  private readonly alone = new Set<ParserProcess>();
  private next_id = 1;
  private idle: Timer | undefined;
  private stopped = false;

  constructor(
    private readonly command: ProcessCommand,
    private readonly log: Log,
    private readonly meters: Meters,
    private readonly bounds: LaneBounds,
  ) {}

  /** A mail as it is stored; null when nothing at all could be read of it. */
  async parse(raw: RawSource): Promise<StorableMail | null> {
    const outcome = await this.enter(raw, { want: 'mail' });
    return outcome && 'summary' in outcome ? outcome : null;
  }

  async attachment(raw: RawSource, index: number): Promise<Uint8Array | null> {
    const outcome = await this.enter(raw, { want: 'attachment', index });
    return outcome && 'attachment' in outcome ? outcome.attachment : null;
  }

  /** Null when it is no delivery report, or nobody could read it. */
  async report(raw: RawSource): Promise<DeliveryReport | null> {
    const outcome = await this.enter(raw, { want: 'report' });
    return outcome && 'report' in outcome ? outcome.report : null;
  }

  async quotable(content: Uint8Array): Promise<Quotable | null> {
    const outcome = await this.enter({ bytes: content }, { want: 'quotable' });
    return outcome && 'quotable' in outcome ? outcome.quotable : null;
  }

  async safeHtml(html: string, remote_images: boolean): Promise<string | null> {
    const outcome = await this.enter({ bytes: Buffer.from(html) }, { want: 'safe_html', remote_images });
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

  private enter(raw: RawSource, want: Want): Promise<Outcome> {
    return new Promise((settle) => {
      this.waiting.push({ id: this.next_id++, raw, want, stage: 'first', settle });
      this.hand();
    });
  }

  /** Gives what waits to whoever has the least in hand. */
  private hand(): void {
    while (this.waiting.length > 0 && !this.stopped) {
      const process = this.freest();
      if (!process || (process.in_hand > IN_HAND_ENOUGH && this.waiting.length < GIVEN_MIN)) return;
      const tasks = this.waiting.splice(0, IN_HAND_MAX - process.in_hand);
      this.processes.get(process)!.push(...tasks);
      process.give(tasks.map(toJob));
    }
  }

  private freest(): ParserProcess | undefined {
    let best: ParserProcess | undefined;
    for (const process of this.processes.keys()) {
      if (!best || process.in_hand < best.in_hand) best = process;
    }
    const busy = !best || best.in_hand > IN_HAND_MAX / 2;
    if (busy && this.processes.size < this.bounds.processes) return this.start();
    return best && best.in_hand < IN_HAND_MAX ? best : undefined;
  }

  private start(): ParserProcess {
    const process: ParserProcess = new WatchedProcess(this.command, {
      onResults: (results) => this.finish(process, results),
      onEnd: (reason) => this.bury(process, reason),
    });
    this.processes.set(process, []);
    return process;
  }

  private finish(process: ParserProcess, results: ParserResult[]): void {
    const tasks = this.processes.get(process);
    for (const result of results) {
      const task = tasks?.shift();
      if (!task || task.id !== result.id) return;
      if ('fault' in result) this.log.warn('a mail could not be parsed', { reason: result.fault });
      task.settle('fault' in result ? null : result);
    }
    this.hand();
    this.awaitIdle();
  }

  /** Any of those in hand may be the one: answers are sent by the handful, and some of the last were not yet. */
  private bury(process: ParserProcess, reason: string): void {
    const suspects = this.processes.get(process) ?? [];
    this.processes.delete(process);
    if (suspects.length > 0) {
      this.meters.count('parser_kills_total', { reason });
      this.log.warn('a parser process was ended; its mails are tried once more alone', {
        reason,
        mails: suspects.length,
      });
      // The newest first: the one that held the process is among the oldest, and need not hold up the rest again.
      this.suspects.push(...suspects.map((task) => ({ ...task, stage: 'alone' as const })).reverse());
      for (let free = this.bounds.suspects; free > 0; free--) this.tryAlone();
    }
    this.hand();
  }

  private tryAlone(): void {
    if (this.alone.size >= this.bounds.suspects || this.stopped) return;
    const task = this.suspects.shift();
    if (!task) return;
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
        if (task.want.want !== 'mail' || task.stage === 'headers') return settle(null);
        this.log.warn('a mail could not be parsed; it is stored raw, with what its headers tell', { reason });
        this.alone.delete(process);
        this.suspects.unshift({ ...task, stage: 'headers' });
        this.tryAlone();
      },
    });
    this.alone.add(process);
    process.give([toJob(task)]);
  }

  private awaitIdle(): void {
    clearTimeout(this.idle);
    this.idle = setTimeout(() => this.endIdle(), IDLE_MS);
    this.idle.unref();
  }

  private endIdle(): void {
    for (const [process, tasks] of this.processes) {
      if (tasks.length > 0) {
        this.awaitIdle();
        return;
      }
      process.stop();
      this.processes.delete(process);
    }
  }
}

function toJob(task: Task): ParserJob {
  if (task.stage === 'headers') return { id: task.id, raw: task.raw, want: 'headers' };
  return { id: task.id, raw: task.raw, ...task.want };
}
