import { availableParallelism } from 'node:os';
import type { Log } from '../../platform/core/log.ts';
import type { Meters } from '../../platform/core/meters.ts';
import type { MailFindings, MailToCheck } from '../../platform/mail/checks/findings.ts';
import type { DeliveryReport } from '../../platform/mail/dsn.ts';
import type {
  FrameLook,
  MailReader,
  Quotable,
  QuoteLook,
  RawSource,
  SafeHtml,
  UnstoredMail,
} from '../../platform/mail/parsed.ts';
import type { StorableMail } from '../../platform/mail/parser-protocol.ts';
import { decodeContent } from '../../platform/mail/stored-mail.ts';
import { formatClientNetwork } from '../../platform/net/client-ip.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { parsing } from '../../rules/parsing.ts';
import type { KillBudget } from './kill-budget.ts';
import { type LaneBounds, ParserLane, type ParserOutcome, type Requester } from './parser-lane.ts';
import { WARM_UP_ROUNDS, warmUpMails } from './warm-up.ts';

/** For small mails. Leaves one core to the sockets and the store. */
const LIGHT: LaneBounds = { processes: Math.max(1, availableParallelism() - 1), suspects: 2, inHand: 16 };
/** One short task at a time, so that a kill hits no other mail, and it is known which mail caused it. */
const ONE_BY_ONE: LaneBounds = {
  processes: 1,
  suspects: 1,
  inHand: 1,
  workMsMax: parsing.firstWorkMsMax,
};

/** The assumed cost of reading an attachment of a large mail, whose size is not known here. */
const LARGE_BYTES = 1024 * 1024;

/** What it takes to receive mail. */
export interface IngestServices extends PlatformServices {
  readonly parsers: ParserPool;
}

/** Where a mail comes from. */
export interface MailOrigin {
  /** The client's address. Absent for mail that the operator imports. */
  clientAddress?: string;
  size?: number;
}

/**
 * Parses mails in child processes. Only large mails (more than intake keeps in memory) can keep a parser busy for
 * seconds, so they have a lane of their own: a stranger who sends one bomb after another holds up only large mails of
 * the same network. Views and downloads have lanes of their own, separate from incoming mail.
 */
export class ParserPool implements MailReader {
  private readonly light: ParserLane;
  private readonly heavy: ParserLane;
  /** Attachments of large mails. */
  private readonly downloads: ParserLane;
  /** HTML sanitizing, and checks. */
  private readonly views: ParserLane;
  private hasMail = false;

  /** @param kills Null to charge no network for kills. */
  constructor(command: readonly string[], log: Log, meters: Meters, kills: KillBudget | null) {
    const open = (bounds: LaneBounds) => new ParserLane(command, log, meters, bounds, kills);
    this.light = open(LIGHT);
    this.heavy = open({ ...ONE_BY_ONE, headersAfterKill: true });
    this.downloads = open(ONE_BY_ONE);
    this.views = open(ONE_BY_ONE);
  }

  /** Returns the mail in its stored form, or null if nothing could be read. */
  async parse(raw: RawSource, origin: MailOrigin = {}): Promise<StorableMail | null> {
    this.hasMail = true;
    return toMail(await this.pickLane(raw).read(raw, { want: 'mail' }, makeRequester(origin)));
  }

  /** Returns the content of a delivery report, or null if the mail is not one. */
  async report(raw: RawSource, origin: MailOrigin = {}): Promise<DeliveryReport | null> {
    const outcome = await this.pickLane(raw).read(raw, { want: 'report' }, makeRequester(origin));
    return outcome && 'report' in outcome ? outcome.report : null;
  }

  async attachment(raw: RawSource, index: number, accountNo: number): Promise<Uint8Array | null> {
    const lane = 'file' in raw ? this.downloads : this.light;
    const cost = 'bytes' in raw ? raw.bytes.length : LARGE_BYTES;
    const outcome = await lane.read(
      raw,
      { want: 'attachment', index },
      makeAccountRequester(accountNo, cost),
    );
    return outcome && 'attachment' in outcome ? outcome.attachment : null;
  }

  async quotable(json: Uint8Array, look: QuoteLook, accountNo: number): Promise<Quotable | null> {
    const requester = makeAccountRequester(accountNo, json.length);
    const outcome = await this.light.read({ bytes: json }, { want: 'quotable', look }, requester);
    return outcome && 'quotable' in outcome ? outcome.quotable : null;
  }

  async safeHtml(html: string, look: FrameLook, accountNo: number): Promise<SafeHtml | null> {
    const requester = makeAccountRequester(accountNo, html.length);
    const outcome = await this.views.read(
      { bytes: Buffer.from(html) },
      { want: 'safeHtml', look },
      requester,
    );
    return outcome && 'safeHtml' in outcome ? outcome.safeHtml : null;
  }

  async unstoredMail(bytes: Uint8Array, accountNo: number): Promise<UnstoredMail | null> {
    const requester = makeAccountRequester(accountNo, bytes.length);
    const mail = toMail(await this.views.read({ bytes }, { want: 'mail' }, requester));
    return mail && { summary: mail.summary, content: decodeContent(mail, bytes) };
  }

  async findings(mail: MailToCheck, accountNo: number): Promise<MailFindings | null> {
    const requester = makeAccountRequester(accountNo, mail.html.length + mail.text.length);
    const bytes = Buffer.from(JSON.stringify(mail));
    const outcome = await this.views.read({ bytes }, { want: 'findings' }, requester);
    return outcome && 'findings' in outcome ? outcome.findings : null;
  }

  /** Starts a process before the first mail needs it. */
  prestart(): void {
    this.light.prestart();
  }

  /** Has a process read made-up mails, so that its code is compiled, until a real one arrives (warm-up.ts). */
  async warmUp(): Promise<void> {
    for (let round = 0; round < WARM_UP_ROUNDS && !this.hasMail; round++) {
      for (const bytes of warmUpMails) {
        // Stop at the first failure: a parser that can't start here would be started, and logged, for each mail.
        const outcome = await this.light
          .read({ bytes }, { want: 'mail' }, makeRequester({}))
          .catch(() => null);
        if (toMail(outcome)?.summary.status !== 'parsed') return;
      }
    }
  }

  /** Starts a process before the first view of a mail needs it. */
  prestartViews(): void {
    this.views.prestart();
  }

  /** Process ids, for measurements. */
  get pids(): number[] {
    return this.lanes.flatMap(({ pids }) => pids);
  }

  stop(): void {
    for (const lane of this.lanes) lane.stop();
  }

  private get lanes(): ParserLane[] {
    return [this.light, this.heavy, this.downloads, this.views];
  }

  private pickLane(raw: RawSource): ParserLane {
    return 'file' in raw ? this.heavy : this.light;
  }
}

function toMail(outcome: ParserOutcome): StorableMail | null {
  return outcome && 'summary' in outcome ? outcome : null;
}

function makeRequester({ clientAddress, size = 0 }: MailOrigin): Requester {
  if (clientAddress === undefined) return { turn: 'operator', cost: size };
  const network = formatClientNetwork(clientAddress);
  return { turn: size > parsing.mediumBytesMax ? `${network} large` : network, cost: size, network };
}

function makeAccountRequester(accountNo: number, cost: number): Requester {
  return { turn: `account ${accountNo}`, cost };
}
