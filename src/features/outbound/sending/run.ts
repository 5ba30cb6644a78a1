import { describeThrown } from '../../../platform/core/thrown.ts';
import type { Handed } from '../../../platform/net/smtp-client.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import { formatBounceAddress } from './bounce-address.ts';
import { type DialContext, findShortestPause, openConnection, type ServerConnection } from './connect.ts';
import type { DeliveryRoute, DeliveryRoutes } from './delivery-routes.ts';
import type { Host } from './host.ts';
import type { MailLane } from './lane.ts';
import {
  formatServerReply,
  isPauseRequest,
  isTlsDemand,
  judgeRecipients,
  repeatResult,
  type SendVerdict,
} from './outcome.ts';
import { type Prepared, prepare } from './prepare.ts';
import type { Leased } from './sql.ts';
import {
  leaseEmailOp,
  postponeOp,
  type RecipientResult,
  recordAttemptOp,
  requeueLeasedOp,
} from './writes.ts';

/** How a run ended. */
export type RunEnd =
  | { kind: 'done' }
  /** Its hosts asked for a pause. */
  | { kind: 'blocked'; forUs: number; reason: string }
  /** Its host has no connection left. */
  | { kind: 'parked'; host: Host };

export interface RunContext extends DialContext {
  routes: DeliveryRoutes;
  mayContinue(): boolean;
  isStopped(): boolean;
  /** Reports whether a server of the lane answered. */
  onAnswer(answered: boolean): void;
  /** Tracks a result that is not stored yet. */
  whileWriting(writing: Promise<void>): Promise<void>;
}

type OpenConnection = Extract<ServerConnection, { kind: 'open' }>;

/** After this many mails, other lanes of the same kind get their turn. */
const MAILS_PER_RUN = 100;
/** Pause before a result that could not be stored is written again. */
const RETRY_WRITE_MS = 2_000;

/** The work of one connection for one lane: sends mail after mail, as long as some is due and the server accepts it. */
export class Run {
  private readonly services: PlatformServices;
  private connection: OpenConnection | null = null;
  /** Emails that are leased, and whose result or release is not yet on its way to the store. */
  private readonly leased = new Set<Leased>();
  private prefetched: Promise<Prepared | null> | null = null;

  constructor(
    private readonly context: RunContext,
    private readonly lane: MailLane,
  ) {
    this.services = context.services;
  }

  async run(): Promise<RunEnd> {
    try {
      return await this.sendAll();
    } catch (fault) {
      await this.prefetched;
      // Otherwise they would stay `sending` until the next start. Counted as an attempt, so that attempts end some day.
      for (const email of this.leased)
        void this.record(email, repeatResult(email.recipients, makePostponed('sending failed on our side')));
      throw fault;
    } finally {
      this.hangUp();
    }
  }

  private async sendAll(): Promise<RunEnd> {
    const route = await this.context.routes.find(this.lane.share);
    if (route.kind !== 'servers') return this.handleNoRoute(route);
    const hosts = route.servers.map((server) => this.context.findHost(server));
    const best = hosts.find((host) => host.pauseUs === 0);
    if (!best) {
      const first = findShortestPause(hosts)!;
      return { kind: 'blocked', forUs: first.pauseUs, reason: first.pauseText };
    }
    if (best.isFull) return { kind: 'parked', host: best };
    let task = await this.lease();
    for (let mails = 1; task; mails++) {
      const end = await this.connect(route, task);
      if (end) return end;
      const isLast = mails >= MAILS_PER_RUN || !this.context.mayContinue();
      // Sign the next email while this one is in transit.
      this.prefetched = isLast || this.lane.kind !== 'proven' ? null : this.prefetch();
      const pause = await this.handOver(this.connection!, task);
      const next: Prepared | null = await this.prefetched;
      if (pause || isLast || !this.context.mayContinue()) {
        if (next) this.release(next.email);
        return pause ?? { kind: 'done' };
      }
      task = next ?? (await this.lease());
    }
    return { kind: 'done' };
  }

  /** Returns the next email, checked and signed; null if none is due. */
  private async lease(): Promise<Prepared | null> {
    for (;;) {
      const email = await this.services.store.write(leaseEmailOp, { share: this.lane.share });
      if (!email) return null;
      this.leased.add(email);
      try {
        const prepared = await prepare(this.services, email);
        if (prepared.refused.length > 0) void this.record(email, prepared.refused);
        if (prepared.recipients.length > 0) {
          // `record` has removed it, but its other recipients have no result yet.
          this.leased.add(email);
          return prepared;
        }
      } catch (fault) {
        this.services.log.error('an email could not be prepared for sending and will be retried', {
          email: email.id,
          fault: describeThrown(fault),
        });
        void this.record(
          email,
          repeatResult(email.recipients, makePostponed('the email could not be prepared for sending')),
        );
      }
      if (!this.context.mayContinue()) return null;
    }
  }

  /** Leases the next email ahead of time. A fault surfaces again when that email is needed. */
  private prefetch(): Promise<Prepared | null> {
    return this.lease().catch(() => null);
  }

  /** Makes sure that there is a connection. If there can't be one, settles the task and returns how the run ends. */
  private async connect(
    route: Extract<DeliveryRoute, { kind: 'servers' }>,
    { email, recipients }: Prepared,
  ): Promise<RunEnd | null> {
    if (this.connection?.session.isOpen) return null;
    this.hangUp();
    const opened = await openConnection(this.context, route.servers);
    if (opened.kind === 'open') {
      this.connection = opened;
      return null;
    }
    if (opened.kind === 'full' || opened.kind === 'paused' || this.context.signal.aborted) {
      this.release(email);
      if (opened.kind === 'full') return { kind: 'parked', host: opened.host };
      return opened.kind === 'paused'
        ? { kind: 'blocked', forUs: opened.forUs, reason: opened.reason }
        : { kind: 'done' };
    }
    this.context.routes.forget(this.lane.share);
    const { kind, reason } = opened;
    if (kind === 'forbidden') {
      await this.record(
        email,
        repeatResult(recipients, { status: 'rejected', response: reason, suppress: null }),
      );
      return { kind: 'done' };
    }
    this.context.onAnswer(false);
    await this.record(email, repeatResult(recipients, makePostponed(reason)));
    await this.postponeRest(reason);
    return { kind: 'done' };
  }

  /** Hands an email over and stores its result. Returns how the run ends if the host asks for a pause. */
  private async handOver(connection: OpenConnection, task: Prepared): Promise<RunEnd | null> {
    const { email, recipients, mail } = task;
    const envelope = {
      from: formatBounceAddress(this.services, email.id, email.domain),
      to: recipients.map((one) => one.email),
    };
    let handed = await connection.session.send(envelope, mail);
    if (connection.isReused && isStale(handed)) {
      const fresh = await this.reconnect(connection);
      if (fresh) handed = await fresh.session.send(envelope, mail);
    }
    if (this.connection) this.connection.isReused = true;
    const replies = [...handed.replies.values()];
    if (this.context.signal.aborted && replies.some(({ code }) => code === null)) {
      this.release(email);
      return { kind: 'done' };
    }
    const results = judgeRecipients({ ...email, recipients }, handed);
    const { host } = this.connection ?? connection;
    this.context.onAnswer(replies.some(({ code }) => code !== null));
    if (replies.some(isTlsDemand)) host.forgetBrokenTls();
    const pause = replies.find(isPauseRequest);
    if (pause) host.pause(formatServerReply(pause));
    else if (results.some(({ status }) => status === 'sent')) host.noteSuccess();
    this.logResults(email, host, results);
    void this.record(email, results);
    return pause ? { kind: 'blocked', forUs: 0, reason: host.pauseText } : null;
  }

  /** Opens a new connection to the same server, which closed the old one after its last mail. */
  private async reconnect(old: OpenConnection): Promise<OpenConnection | null> {
    this.hangUp();
    const opened = await openConnection(this.context, [old.server]);
    if (opened.kind !== 'open') return null;
    this.connection = opened;
    return opened;
  }

  /** Settles what is due when there is no server to dial. */
  private async handleNoRoute(route: Exclude<DeliveryRoute, { kind: 'servers' }>): Promise<RunEnd> {
    this.context.routes.forget(this.lane.share);
    if (route.kind === 'unknown') {
      this.context.onAnswer(false);
      await this.postponeRest(route.reason);
      return { kind: 'done' };
    }
    const verdict: SendVerdict = {
      status: 'bounced',
      response: `${route.status} ${route.reason}`,
      suppress: null,
    };
    while (this.context.mayContinue()) {
      const email = await this.services.store.write(leaseEmailOp, { share: this.lane.share });
      if (!email) break;
      await this.record(email, repeatResult(email.recipients, verdict));
    }
    return { kind: 'done' };
  }

  /** Postpones everything due in this lane, and counts it as an attempt. */
  private async postponeRest(reason: string): Promise<void> {
    const { share } = this.lane;
    while (this.context.mayContinue()) {
      const rows = await this.services.store.write(postponeOp, { share, reason });
      if (rows === 0) return;
      this.services.log.info('email was postponed', {
        to: share === 'all' ? 'the smarthost' : share.domain,
        reason,
      });
    }
  }

  /** Resolves when the result is stored. Keeps retrying while the disk refuses. */
  private record(email: Leased, results: RecipientResult[]): Promise<void> {
    const { no, id } = email;
    this.leased.delete(email);
    for (const { status } of results) this.services.meters.count('outbound_attempts_total', { status });
    return this.context.whileWriting(
      this.write(id, () => this.services.store.write(recordAttemptOp, { outbound_no: no, results })),
    );
  }

  private release(email: Leased): void {
    const { no, id, recipients } = email;
    this.leased.delete(email);
    const rows = recipients.map((recipient) => ({ no: recipient.no, outbound_no: no }));
    void this.context.whileWriting(
      this.write(id, () => this.services.store.write(requeueLeasedOp, { recipients: rows })),
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
        await new Promise<void>((resolve) => this.services.clock.after(RETRY_WRITE_MS, resolve));
      }
    }
  }

  private logResults({ id }: Leased, host: Host, results: readonly RecipientResult[]): void {
    for (const { status, response } of results) {
      this.services.log.info('email handed over', { email: id, host: host.name, status, reply: response });
    }
  }

  private hangUp(): void {
    if (!this.connection) return;
    this.connection.host.release(this.connection.session, this.connection.server.security);
    this.connection = null;
  }
}

function makePostponed(response: string): SendVerdict {
  return { status: 'queued', response, suppress: null };
}

/** Whether the connection was closed before any part of the mail was sent. */
function isStale({ replies, isBegun }: Handed): boolean {
  return !isBegun && [...replies.values()].every(({ code }) => code === null || code === 421);
}
