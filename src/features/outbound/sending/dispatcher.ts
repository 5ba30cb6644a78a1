import { type Cancel, MINUTE_US, SECOND_US } from '../../../platform/core/clock.ts';
import { type ClockStep, ClockWatch } from '../../../platform/core/clock-watch.ts';
import { Idle } from '../../../platform/core/idle.ts';
import { OncePerTurn } from '../../../platform/core/next-turn.ts';
import { OrderlyStop } from '../../../platform/core/orderly-stop.ts';
import type { ServerAddress } from '../../../platform/core/settings.ts';
import { describeThrown } from '../../../platform/core/thrown.ts';
import { type Turn, Turns } from '../../../platform/core/turns.ts';
import { JOB_BATCH } from '../../../platform/job.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import { sending as rules } from '../../../rules/sending.ts';
import { QueueClock } from '../rebase/queue-clock.ts';
import { DeliveryRoutes } from './delivery-routes.ts';
import { Host } from './host.ts';
import { MailLane } from './lane.ts';
import { Run } from './run.ts';
import type { Server } from './server.ts';
import {
  countWaitingRecipients,
  type DuePlace,
  findNextEmailDueAt,
  listDueEmails,
  listWaitingDomains,
  type Share,
  type Waiting,
} from './sql.ts';
import { noteWaitOp, recoverSendingOp } from './writes.ts';

/*
 * Sends due email. How failures are contained, and what happens after a crash:
 * - Recipients and their due times are rows. They are `sending` while an attempt runs; the next start requeues those
 *   that a crash left in that state. A server's 250 is stored before anything else happens: a crash in between sends
 *   the mail once more, a crash afterwards never does.
 * - The queue is divided into lanes, one per domain (or a single one with a smarthost), which take turns. A lane has
 *   at most two connections. So does a host, even if it serves several lanes.
 * - An unreachable host costs only its own lane an attempt, and everything due there is postponed together. Lanes
 *   whose servers failed or have not answered yet may use only some of the slots, so servers that hang can't use up all
 *   of them. Accounts share these slots, so one account's hanging mail leaves room for the others.
 * - A result that can't be stored (full disk) stays in memory and is stored later. While there are many, nothing more
 *   is sent.
 */

/** How long a stop waits. A pending look-up can't be aborted: the next start queues its mail again. */
const ABANDON_MS = 2_000;
/** How long a lane pauses after a fault on our side, so that it does not loop. */
const FAULT_PAUSE_US = MINUTE_US;

/** Sends queued email. Does nothing until it is started. */
export class MailDispatcher {
  private readonly lanes = new Map<string, MailLane>();
  /** Lanes without email, whose servers have answered. */
  private readonly idle = new Idle<MailLane>(rules.hostsMax, (lane) => this.forget(lane));
  private readonly hosts = new Map<string, Host>();
  private readonly turns = {
    proven: new Turns<MailLane>(),
    fresh: new Turns<MailLane>(),
    failing: new Turns<MailLane>(),
  };
  private readonly clockWatch: ClockWatch;
  private readonly queueClock: QueueClock;
  private readonly nextTurn = new OncePerTurn(() => this.startRuns());
  private readonly ending = new OrderlyStop(() => this.runCount + this.unwritten === 0);
  private routes: DeliveryRoutes;
  private unwritten = 0;
  private state: 'idle' | 'starting' | 'running' | 'stopped' = 'idle';
  private stopListening: Cancel = () => {};

  constructor(private readonly services: PlatformServices) {
    this.clockWatch = new ClockWatch(services.clock, (step) => this.moveDueTimes(step));
    this.queueClock = new QueueClock(services, () => this.wakeAll());
    this.routes = new DeliveryRoutes(services, null);
  }

  /** Starts, with what a crash interrupted and what is due already. `ownDoor` is the address of our own SMTP server. */
  async start(ownDoor: ServerAddress | null): Promise<void> {
    if (this.state !== 'idle' || this.services.settings.outbound.way === 'off') return;
    this.state = 'starting';
    this.routes = new DeliveryRoutes(this.services, ownDoor);
    this.services.meters.gauge('outbound_queue', () => countWaitingRecipients(this.services.store));
    this.stopListening = this.services.queued.listen(({ domains, account_no, outbound_no }) => {
      for (const domain of domains) {
        const lane = this.wakeDomain({ domain, account_no });
        if (this.isBlocked(lane)) void this.noteWait(lane, outbound_no);
      }
    });
    await this.recover();
    if (this.isStopped) return;
    this.state = 'running';
    this.queueClock.resume(() => this.recover());
    for (const waiting of listWaitingDomains(this.services.store)) this.wakeDomain(waiting);
    this.clockWatch.start();
  }

  /**
   * Queues email again that was being sent when the server last ended, and makes due what only a clock that was set back since can
   * have planned.
   */
  private async recover(): Promise<void> {
    const { store, log } = this.services;
    const emails = new Set<number>();
    let after: DuePlace | null = null;
    do {
      const step: Awaited<ReturnType<typeof recoverSendingOp.run>> = await store.write(recoverSendingOp, {
        after,
        max: JOB_BATCH,
      });
      for (const no of step.emails) emails.add(no);
      after = step.after;
    } while (after !== null && !this.isStopped);
    if (emails.size > 0)
      log.info('email interrupted while being sent was queued again', { emails: emails.size });
  }

  /** Starts nothing more. Mail that does not finish soon is put back into the queue. */
  async stop(): Promise<void> {
    this.state = 'stopped';
    this.stopListening();
    this.clockWatch.stop();
    this.queueClock.stop();
    for (const lane of this.lanes.values()) lane.alarm.clear();
    await this.ending.wait(ABANDON_MS);
    for (const host of this.hosts.values()) host.closeIdle();
  }

  private get isStopped(): boolean {
    return this.state === 'stopped';
  }

  private get maySend(): boolean {
    return this.state === 'running' && !this.queueClock.isMoving && this.unwritten < rules.unwrittenMax;
  }

  private get runCount(): number {
    return this.turns.proven.running + this.turns.fresh.running + this.turns.failing.running;
  }

  private wakeDomain({ domain, account_no }: Waiting): MailLane {
    const { way } = this.services.settings.outbound;
    const [key, share]: [string, Share] = way === 'smarthost' ? ['*', 'all'] : [domain, { domain }];
    const lane = this.lanes.get(key) ?? new MailLane(share);
    this.lanes.set(key, lane);
    this.idle.delete(lane);
    lane.accounts.add(account_no);
    this.wake(lane);
    return lane;
  }

  private isBlocked(lane: MailLane): boolean {
    return lane.blockedUntilUs > this.services.clock.nowUs();
  }

  /**
   * Stores the reason with emails that wait for a blocked lane: one that was just queued, or all that are due if null.
   */
  private async noteWait(
    { share, blockedReason: reason }: MailLane,
    outboundNo: number | null,
  ): Promise<void> {
    const { store, log } = this.services;
    try {
      for (let from = 0; from < rules.notedRows; from += rules.notedAtOnce)
        if (!(await store.write(noteWaitOp, { share, outbound_no: outboundNo, from, reason }))) return;
    } catch (fault) {
      log.warn('the reason why emails wait could not be stored', { fault: String(fault) });
    }
  }

  /** Gives the lane a turn, since it may have something to send. */
  private wake(lane: MailLane): void {
    if (this.state !== 'running' || lane.runs >= rules.atOnceOfHost) return;
    const blockedUs = lane.blockedUntilUs - this.services.clock.nowUs();
    if (blockedUs > 0) {
      lane.alarm.set(this.services.clock, blockedUs, () => this.wake(lane));
      return;
    }
    this.turns[lane.kind].add(lane);
    this.nextTurn.ask();
  }

  /** Offers the lane a free connection of a host. Returns false if the lane does not need it. */
  private wakeFor(host: Host, lane: MailLane): boolean {
    const isAwaited = lane.accounts.size > 0 && this.hasDue(lane);
    if (this.state !== 'running' || lane.runs >= rules.atOnceOfHost || !isAwaited) return false;
    this.wake(lane);
    // The lane is blocked, so it can't use the connection now.
    if (this.isBlocked(lane)) return false;
    lane.passOn();
    lane.offeredBy = host;
    return true;
  }

  /** Starts a run for each ready lane while there is room. */
  private startRuns(): void {
    this.clockWatch.look();
    for (let turn = this.takeTurn(); turn; turn = this.takeTurn()) this.startRun(turn);
  }

  private takeTurn(): Turn<MailLane> | null {
    if (!this.maySend) return null;
    const { proven, fresh, failing } = this.turns;
    const free = rules.atOnce - this.runCount;
    const unproven = Math.min(free, rules.atOnceUnproven - fresh.running - failing.running);
    return (
      fresh.take(unproven) ??
      failing.take(Math.min(unproven, rules.atOnceFailing - failing.running)) ??
      proven.take(free)
    );
  }

  private startRun(turn: Turn<MailLane>): void {
    const { lane } = turn;
    const { kind } = lane;
    // A lane that has not proven to answer gets one connection.
    const most = kind === 'proven' ? rules.atOnceOfHost : 1;
    if (lane.runs >= most || !this.hasDue(lane)) {
      lane.passOn();
      if (lane.runs === 0) this.sleep(lane);
      return;
    }
    lane.runs += 1;
    this.turns[kind].begin(turn);
    // A second connection, if one can't carry everything that is due.
    if (lane.runs < most) this.wake(lane);
    const run = new Run(
      {
        services: this.services,
        routes: this.routes,
        findHost: (server) => this.findHost(server),
        signal: this.ending.signal,
        mayContinue: () => this.maySend,
        isStopped: () => this.isStopped,
        onAnswer: (answered) => this.onAnswer(lane, answered),
        whileWriting: (writing) => this.whileWriting(lane, writing),
      },
      lane,
    );
    void run
      .run()
      .catch((fault: unknown) =>
        this.services.log.error('sending failed on our side and will be retried', {
          fault: describeThrown(fault),
        }),
      )
      .then((end) => {
        lane.runs -= 1;
        this.turns[kind].end(turn);
        if (end === undefined) this.block(lane, FAULT_PAUSE_US, 'sending failed on our side');
        else if (end.kind === 'blocked') this.block(lane, end.forUs, end.reason);
        const { host } = end?.kind === 'parked' && end.host.isFull ? end : { host: null };
        host?.whenFree(() => this.wakeFor(host, lane));
        // The lane may not have used the connection it was offered.
        lane.passOn();
        if (!host) this.wake(lane);
        this.startRuns();
        this.ending.note();
      });
  }

  private block(lane: MailLane, forUs: number, reason: string): void {
    lane.blockedUntilUs = this.services.clock.nowUs() + forUs;
    lane.blockedReason = reason;
    if (forUs > 0 && this.state === 'running') void this.noteWait(lane, null);
  }

  private onAnswer(lane: MailLane, answered: boolean): void {
    const was = lane.kind;
    lane.kind = answered ? 'proven' : 'failing';
    // The lane may now have a second connection.
    if (answered && was !== 'proven') this.wake(lane);
  }

  private hasDue({ share }: MailLane): boolean {
    return listDueEmails(this.services.store, share, this.services.clock.nowUs(), 1).length > 0;
  }

  /** Sets a lane's alarm for its next due email. Forgets a lane that has none. */
  private sleep(lane: MailLane): void {
    const { store, clock } = this.services;
    const nowUs = clock.nowUs();
    const nextAt = findNextEmailDueAt(store, lane.share, nowUs);
    if (nextAt !== null) lane.alarm.set(clock, nextAt - nowUs, () => this.wake(lane));
    else if (lane.unwritten === 0) {
      for (const turns of Object.values(this.turns)) turns.delete(lane);
      lane.accounts.clear();
      if (lane.kind === 'proven') this.idle.add(lane);
      else this.forget(lane);
    }
  }

  private forget({ share }: MailLane): void {
    if (share !== 'all') this.lanes.delete(share.domain);
  }

  private findHost({ host: name, port }: Server): Host {
    const key = `${name}:${port}`;
    const known = this.hosts.get(key);
    if (known) return known;
    if (this.hosts.size >= rules.hostsMax) {
      for (const [other, host] of this.hosts) if (host.isForgettable) this.hosts.delete(other);
    }
    const host = new Host(name, this.services.clock);
    this.hosts.set(key, host);
    return host;
  }

  private async whileWriting(lane: MailLane, writing: Promise<void>): Promise<void> {
    this.unwritten += 1;
    lane.unwritten += 1;
    await writing;
    this.unwritten -= 1;
    lane.unwritten -= 1;
    // The lane's next due times have changed.
    this.wake(lane);
    this.startRuns();
    this.ending.note();
  }

  /** Moves due times when the wall clock was set. */
  private moveDueTimes(step: ClockStep): void {
    if (this.state !== 'running') return;
    this.routes.forgetAll();
    for (const host of this.hosts.values()) host.rebase(step.byUs);
    for (const lane of this.lanes.values()) lane.blockedUntilUs += step.byUs;
    const seconds = Math.round(step.byUs / SECOND_US);
    this.services.log.info('the clock was set; due times of queued email move with it', { seconds });
    this.queueClock.rebase(step);
  }

  /** Called when due times have moved. */
  private wakeAll(): void {
    for (const lane of this.lanes.values()) this.wake(lane);
  }
}
