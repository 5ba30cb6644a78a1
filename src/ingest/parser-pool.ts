import { availableParallelism } from 'node:os';
import type { Log } from '../core/log.ts';
import type { Meters } from '../core/meters.ts';
import type { DeliveryReport } from '../mail/dsn.ts';
import type { MailReader, Quotable, RawSource } from '../mail/parsed.ts';
import type { StorableMail } from '../mail/parser-protocol.ts';
import { ParserLane } from './parser-lane.ts';
import type { ProcessCommand } from './watched-process.ts';

/** One core is left to the sockets and the store. */
const LIGHT = { processes: Math.max(1, availableParallelism() - 1), suspects: 2 };
const HEAVY = { processes: 1, suspects: 1 };

/**
 * Where mails are parsed. What can hold a parser for seconds is large (over what intake keeps in memory), so
 * large mails have a lane of their own: a stranger who sends one bomb after the other holds up other large mails
 * and nobody else.
 */
export class ParserPool implements MailReader {
  private readonly light: ParserLane;
  private readonly heavy: ParserLane;

  constructor(command: ProcessCommand, log: Log, meters: Meters) {
    this.light = new ParserLane(command, log, meters, LIGHT);
    this.heavy = new ParserLane(command, log, meters, HEAVY);
  }

  /** A mail as it is stored; null when nothing at all could be read of it. */
  parse(raw: RawSource): Promise<StorableMail | null> {
    return this.laneOf(raw).parse(raw);
  }

  attachment(raw: RawSource, index: number): Promise<Uint8Array | null> {
    return this.laneOf(raw).attachment(raw, index);
  }

  /** What a delivery report says; null when it is none. */
  report(raw: RawSource): Promise<DeliveryReport | null> {
    return this.laneOf(raw).report(raw);
  }

  quotable(content: Uint8Array): Promise<Quotable | null> {
    return this.light.quotable(content);
  }

  /** In the heavy lane: mail on its way in does not wait for what somebody looks at. */
  safeHtml(html: string, remote_images: boolean): Promise<string | null> {
    return this.heavy.safeHtml(html, remote_images);
  }

  /** Starts a process ahead of the mail that is about to come. */
  warm(): void {
    this.light.warm();
  }

  /** Process ids, for whoever measures. */
  get pids(): number[] {
    return [...this.light.pids, ...this.heavy.pids];
  }

  stop(): void {
    this.light.stop();
    this.heavy.stop();
  }

  private laneOf(raw: RawSource): ParserLane {
    return 'file' in raw ? this.heavy : this.light;
  }
}
