import { availableParallelism } from 'node:os';
import { systemClock } from '../../platform/core/clock.ts';
import type { Log } from '../../platform/core/log.ts';
import type { Meters } from '../../platform/core/meters.ts';
import type { DeliveryReport } from '../../platform/mail/dsn.ts';
import type { MailReader, Quotable, RawSource } from '../../platform/mail/parsed.ts';
import type { StorableMail } from '../../platform/mail/parser-protocol.ts';
import { clientNetwork } from '../../platform/net/client-ip.ts';
import { parsing } from '../../rules/parsing.ts';
import { KillBudget } from './kill-budget.ts';
import { type Asker, type LaneBounds, ParserLane } from './parser-lane.ts';
import type { ProcessCommand } from './watched-process.ts';

/** One core is left to the sockets and the store. */
const LIGHT: LaneBounds = { processes: Math.max(1, availableParallelism() - 1), suspects: 2, inHand: 16 };
/**
 * One task at a time, and not for long: what waits behind it is in no process that may be killed, and it is always
 * known which mail a process was killed for.
 */
const ONE_BY_ONE: LaneBounds = {
  processes: 1,
  suspects: 1,
  inHand: 1,
  workMsMax: parsing.firstWorkMsMax,
};

/** What an attachment of a large mail counts as: its mail's size is not known here. */
const LARGE_BYTES = 1024 * 1024;

/** Where a mail that is parsed comes from. */
export interface MailOrigin {
  /** Absent: the operator brought it. */
  clientAddress?: string;
  size?: number;
}

/**
 * Where mails are parsed. What can hold a parser for seconds is large (over what intake keeps in memory), so
 * large mails have a lane of their own: a stranger who sends one bomb after the other holds up other large mails
 * of the same network and nobody else. What people look at has lanes of its own, beside all mail on its way in.
 */
export class ParserPool implements MailReader {
  private readonly light: ParserLane;
  private readonly heavy: ParserLane;
  /** Attachments of large mails. */
  private readonly downloads: ParserLane;
  /** HTML that is made safe. */
  private readonly views: ParserLane;

  /** @param kills null where no network is charged for a kill. */
  constructor(
    command: ProcessCommand,
    log: Log,
    meters: Meters,
    kills: KillBudget | null = new KillBudget(systemClock),
  ) {
    const open = (bounds: LaneBounds) => new ParserLane(command, log, meters, bounds, kills);
    this.light = open(LIGHT);
    this.heavy = open({ ...ONE_BY_ONE, headersAfterKill: true });
    this.downloads = open(ONE_BY_ONE);
    this.views = open(ONE_BY_ONE);
  }

  /** A mail as it is stored; null when nothing at all could be read of it. */
  parse(raw: RawSource, origin: MailOrigin = {}): Promise<StorableMail | null> {
    return this.laneOf(raw).parse(raw, askerOf(origin));
  }

  /** What a delivery report says; null when it is none. */
  report(raw: RawSource, origin: MailOrigin = {}): Promise<DeliveryReport | null> {
    return this.laneOf(raw).report(raw, askerOf(origin));
  }

  attachment(raw: RawSource, index: number, accountNo: number): Promise<Uint8Array | null> {
    const lane = 'file' in raw ? this.downloads : this.light;
    return lane.attachment(raw, index, ofAccount(accountNo, 'bytes' in raw ? raw.bytes.length : LARGE_BYTES));
  }

  quotable(content: Uint8Array, accountNo: number): Promise<Quotable | null> {
    return this.light.quotable(content, ofAccount(accountNo, content.length));
  }

  safeHtml(html: string, remoteImages: boolean, accountNo: number): Promise<string | null> {
    return this.views.safeHtml(html, remoteImages, ofAccount(accountNo, html.length));
  }

  /** Starts a process ahead of the mail that is about to come. */
  warm(): void {
    this.light.warm();
  }

  /** Process ids, for whoever measures. */
  get pids(): number[] {
    return this.lanes.flatMap(({ pids }) => pids);
  }

  stop(): void {
    for (const lane of this.lanes) lane.stop();
  }

  private get lanes(): ParserLane[] {
    return [this.light, this.heavy, this.downloads, this.views];
  }

  private laneOf(raw: RawSource): ParserLane {
    return 'file' in raw ? this.heavy : this.light;
  }
}

function askerOf({ clientAddress, size = 0 }: MailOrigin): Asker {
  if (clientAddress === undefined) return { turn: 'operator', cost: size };
  const network = clientNetwork(clientAddress);
  return { turn: size > parsing.mediumBytesMax ? `${network} large` : network, cost: size, network };
}

function ofAccount(accountNo: number, cost: number): Asker {
  return { turn: `account ${accountNo}`, cost };
}
