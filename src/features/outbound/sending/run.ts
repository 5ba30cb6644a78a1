import { describeThrown } from '../../../platform/core/thrown.ts';
import type { Handed } from '../../../platform/net/smtp-client.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import { sending as rules } from '../../../rules/sending.ts';
import { formatBounceAddress } from './bounce-address.ts';
import type { Host } from './host.ts';
import type { MailLane } from './lane.ts';
import { type Dialling, findFirstToReturn, openLine, type ServerLine } from './line.ts';
import { isPauseRequest, judgeRecipients, repeatResult, replyText, type SendVerdict } from './outcome.ts';
import { type Prepared, prepare } from './prepare.ts';
import type { Claimed } from './sql.ts';
import type { Way } from './way.ts';
import { claimEmailOp, putOffOp, type RecipientResult, recordSentOp, releaseEmailsOp } from './writes.ts';

/** How a run ended. */
export type RunEnd =
  | { kind: 'done' }
  /** Its hosts asked for a pause. */
  | { kind: 'blocked'; forUs: number; reason: string }
  /** Its host has no connection left. */
  | { kind: 'parked'; host: Host };

export interface RunContext extends Dialling {
  mayGoOn(): boolean;
  isStopped(): boolean;
  /** Reports whether a server of the lane answered. */
  onAnswer(answered: boolean): void;
  /** Tracks a result that is not stored yet. */
  whileWriting(writing: Promise<void>): Promise<void>;
}

type Open = Extract<ServerLine, { kind: 'open' }>;

/** After this many mails other lanes of the kind get their turn. */
const MAILS_OF_RUN = 100;
/** Until a result that the store refused is written again. */
const WRITE_AGAIN_MS = 2_000;

/** The work of one connection for one lane: sends mail after mail while there is some and the server accepts it. */
export class Run {
  private readonly services: PlatformServices;
  private line: Open | null = null;
  /** Claimed, with neither a result nor a release on its way to the store. */
  private readonly taken = new Set<Claimed>();
  private ahead: Promise<Prepared | null> | null = null;

  constructor(
    private readonly context: RunContext,
    private readonly lane: MailLane,
  ) {
    this.services = context.services;
  }

  async go(): Promise<RunEnd> {
    try {
      return await this.work();
    } catch (fault) {
      await this.ahead;
      // Otherwise they would stay `sending` until the next start. Counted as an attempt, so that it ends some day.
      for (const email of this.taken)
        void this.record(email, repeatResult(email.recipients, putOff('sending failed on our side')));
      throw fault;
    } finally {
      this.hangUp();
    }
  }

  private async work(): Promise<RunEnd> {
    const way = await this.context.ways.to(this.lane.share);
    if (way.kind !== 'servers') return this.noWay(way);
    const hosts = way.servers.map((server) => this.context.findHost(server));
    const best = hosts.find((host) => host.pauseUs === 0);
    if (!best) {
      const first = findFirstToReturn(hosts)!;
      return { kind: 'blocked', forUs: first.pauseUs, reason: first.pauseText };
    }
    if (best.isFull) return { kind: 'parked', host: best };
    let task = await this.take();
    for (let mails = 1; task; mails++) {
      const end = await this.connect(way, task);
      if (end) return end;
      const isLast = mails >= MAILS_OF_RUN || !this.context.mayGoOn();
      // Sign the next email while this one is in transit.
      this.ahead = isLast || this.lane.kind !== 'proven' ? null : this.takeAhead();
      const pause = await this.handOver(this.line!, task);
      const next: Prepared | null = await this.ahead;
      if (pause || isLast || !this.context.mayGoOn()) {
        if (next) this.release(next.email);
        return pause ?? { kind: 'done' };
      }
      task = next ?? (await this.take());
    }
    return { kind: 'done' };
  }

  /** The next email, checked and signed; null when none is due. */
  private async take(): Promise<Prepared | null> {
    for (;;) {
      const email = await this.services.store.write(claimEmailOp, { share: this.lane.share });
      if (!email) return null;
      this.taken.add(email);
      try {
        const prepared = await prepare(this.services, email);
        if (prepared.refused.length > 0) void this.record(email, prepared.refused);
        if (prepared.recipients.length > 0) {
          this.taken.add(email);
          return prepared;
        }
      } catch (fault) {
        this.services.log.error('an email could not be prepared for sending and will be retried', {
          email: email.id,
          fault: describeThrown(fault),
        });
        void this.record(
          email,
          repeatResult(email.recipients, putOff('the email could not be prepared for sending')),
        );
      }
      if (!this.context.mayGoOn()) return null;
    }
  }

  /** Nothing awaits this promise yet. A fault surfaces when the email is needed. */
  private takeAhead(): Promise<Prepared | null> {
    return this.take().catch(() => null);
  }

  /** Ensures that there is a connection. Otherwise settles the task and returns how the run ends. */
  private async connect(
    way: Extract<Way, { kind: 'servers' }>,
    { email, recipients }: Prepared,
  ): Promise<RunEnd | null> {
    if (this.line?.session.isOpen) return null;
    this.hangUp();
    const line = await openLine(this.context, way.servers);
    if (line.kind === 'open') {
      this.line = line;
      return null;
    }
    if (line.kind === 'full' || line.kind === 'paused' || this.context.signal.aborted) {
      this.release(email);
      if (line.kind === 'full') return { kind: 'parked', host: line.host };
      return line.kind === 'paused'
        ? { kind: 'blocked', forUs: line.forUs, reason: line.reason }
        : { kind: 'done' };
    }
    this.context.ways.forget(this.lane.share);
    const { kind, reason } = line;
    if (kind === 'forbidden') {
      await this.record(
        email,
        repeatResult(recipients, { status: 'rejected', response: reason, suppress: null }),
      );
      return { kind: 'done' };
    }
    this.context.onAnswer(false);
    await this.record(email, repeatResult(recipients, putOff(reason)));
    await this.putOffRest(reason);
    return { kind: 'done' };
  }

  /** Hands an email over and stores its result. Returns how the run ends if the host asks for a pause. */
  private async handOver(line: Open, task: Prepared): Promise<RunEnd | null> {
    const { email, recipients, mail } = task;
    const envelope = {
      from: formatBounceAddress(this.services, email.id, email.domain),
      to: recipients.map((one) => one.email),
    };
    let handed = await line.session.send(envelope, mail);
    if (line.isReused && isStale(handed)) {
      const fresh = await this.freshLine(line);
      if (fresh) handed = await fresh.session.send(envelope, mail);
    }
    if (this.line) this.line.isReused = true;
    const replies = [...handed.replies.values()];
    if (this.context.signal.aborted && replies.some(({ code }) => code === null)) {
      this.release(email);
      return { kind: 'done' };
    }
    const results = judgeRecipients({ ...email, recipients }, handed);
    const { host } = this.line ?? line;
    this.context.onAnswer(replies.some(({ code }) => code !== null));
    const pause = replies.find(isPauseRequest);
    if (pause) host.pause(replyText(pause));
    else if (results.some(({ status }) => status === 'sent')) host.noteSuccess();
    this.logResults(email, host, results);
    void this.record(email, results);
    return pause ? { kind: 'blocked', forUs: 0, reason: host.pauseText } : null;
  }

  /** The server closed the connection after its last mail: sends the same mail over a new one. */
  private async freshLine(line: Open): Promise<Open | null> {
    this.hangUp();
    const opened = await openLine(this.context, [line.server]);
    if (opened.kind !== 'open') return null;
    this.line = opened;
    return opened;
  }

  /** There is no server to dial. */
  private async noWay(way: Exclude<Way, { kind: 'servers' }>): Promise<RunEnd> {
    this.context.ways.forget(this.lane.share);
    if (way.kind === 'unknown') {
      this.context.onAnswer(false);
      await this.putOffRest(way.reason);
      return { kind: 'done' };
    }
    const verdict: SendVerdict = {
      status: 'bounced',
      response: `${way.status} ${way.reason}`,
      suppress: null,
    };
    while (this.context.mayGoOn()) {
      const email = await this.services.store.write(claimEmailOp, { share: this.lane.share });
      if (!email) break;
      await this.record(email, repeatResult(email.recipients, verdict));
    }
    return { kind: 'done' };
  }

  /** Counts this attempt for everything due in this lane. */
  private async putOffRest(reason: string): Promise<void> {
    const { share } = this.lane;
    while (this.context.mayGoOn()) {
      const rows = await this.services.store.write(putOffOp, { share, reason, max: rules.put_off_rows });
      if (rows === 0) return;
      this.services.log.info('email was postponed', {
        to: share === 'all' ? 'the smarthost' : share.domain,
        reason,
      });
    }
  }

  /** Settles when the result is stored. Keeps retrying while the disk refuses. */
  private record(email: Claimed, results: RecipientResult[]): Promise<void> {
    const { no, id } = email;
    this.taken.delete(email);
    for (const { status } of results) this.services.meters.count('outbound_attempts_total', { status });
    return this.context.whileWriting(
      this.write(id, () => this.services.store.write(recordSentOp, { outbound_no: no, results })),
    );
  }

  private release(email: Claimed): void {
    const { no, id, recipients } = email;
    this.taken.delete(email);
    const rows = recipients.map((recipient) => ({ no: recipient.no, outbound_no: no }));
    void this.context.whileWriting(
      this.write(id, () => this.services.store.write(releaseEmailsOp, { recipients: rows })),
    );
  }

  private async write(id: string, write: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await write();
      } catch (fault) {
        // The next start finds the email as `sending` and sends it again.
        if (this.context.isStopped()) return;
        const message = 'the result of an email could not be stored; retrying';
        this.services.log.warn(message, { email: id, fault: String(fault) });
        await new Promise<void>((resolve) => this.services.clock.after(WRITE_AGAIN_MS, resolve));
      }
    }
  }

  private logResults({ id }: Claimed, host: Host, results: readonly RecipientResult[]): void {
    for (const { status, response } of results) {
      this.services.log.info('email handed over', { email: id, host: host.name, status, reply: response });
    }
  }

  private hangUp(): void {
    if (!this.line) return;
    this.line.host.release(this.line.session, this.line.server.security);
    this.line = null;
  }
}

function putOff(response: string): SendVerdict {
  return { status: 'queued', response, suppress: null };
}

/** No part of the mail was sent, and the server said nothing or closed the session. */
function isStale({ replies, isBegun }: Handed): boolean {
  return !isBegun && [...replies.values()].every(({ code }) => code === null || code === 421);
}
