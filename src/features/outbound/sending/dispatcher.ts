import type { Cancel } from '../../../platform/core/clock.ts';
import { ClockSteps } from '../../../platform/core/clock-steps.ts';
import type { ServerAddress } from '../../../platform/core/settings.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import { sending as rules } from '../../../rules/sending.ts';
import { Host } from './host.ts';
import { MailLane } from './lane.ts';
import { Run } from './run.ts';
import {
  dueEmails,
  nextEmailDueAt,
  type Share,
  type Waiting,
  waitingDomains,
  waitingRecipients,
} from './sql.ts';
import { type Turn, Turns } from './turns.ts';
import { type Server, Ways } from './way.ts';
import { noteWaitOp, rebaseQueueOp, recoverSendingOp } from './writes.ts';

/*
 * Sends what is due. Who fails, for whom, how long, and what a crash leaves:
 * - Recipients and their due times are rows. While an attempt runs they are `sending`; the next start makes those
 *   that a crash left so due again. A server's 250 is written down before anything else is done with it: a crash
 *   between the two sends the mail once more, one after it never.
 * - The queue is cut into lanes, one a domain (or a single one to a smarthost). A lane has two connections at most,
 *   and so has a host, whoever's mail it takes. Lanes get their turns in a circle.
 * - A host that can't be reached costs its own lane's attempt, and all that is due there is put off with it. Lanes
 *   whose servers have not answered yet, or failed, have a part of the room: those that hang can't fill it. Of each
 *   part an account has a share: what hangs for one leaves room for the others.
 * - A result that can't be written down (full disk) stays in memory and is written later; then nothing more is sent.
 */

/** Between two looks at the wall clock when nothing else happens. */
const LOOK_MS = 10_000;
/** An orderly stop waits so long for the mail under way; then it is cut off and put back. */
const STOP_MS = 3_000;
const CUT_OFF_MS = 2_000;

/** It does nothing until it is started. */
export class MailDispatcher {
  private readonly lanes = new Map<string, MailLane>();
  private readonly hosts = new Map<string, Host>();
  private readonly turns = { proven: new Turns(), fresh: new Turns(), failing: new Turns() };
  private readonly steps: ClockSteps;
  private ways: Ways;
  private unwritten = 0;
  private turnIsSet = false;
  private state: 'idle' | 'starting' | 'running' | 'stopped' = 'idle';
  private deaf: Cancel = () => {};
  private clockAlarm: Cancel = () => {};
  private onQuiet: () => void = () => {};
  /** Ends what is being sent. */
  private readonly cutOff = new AbortController();

  constructor(private readonly services: PlatformServices) {
    this.steps = new ClockSteps(services.clock);
    this.ways = new Ways(services, null);
  }

  /** Begins with what a crash cut off, and what came due while nobody was here. `ownDoor`: where our SMTP listens. */
  async start(ownDoor: ServerAddress | null): Promise<void> {
    if (this.state !== 'idle' || this.services.settings.outbound.way === 'off') return;
    this.state = 'starting';
    this.ways = new Ways(this.services, ownDoor);
    this.services.meters.gauge('outbound_queue', () => waitingRecipients(this.services.store));
    this.deaf = this.services.queued.listen(({ domains, account_no, outbound_no }) => {
      for (const domain of domains) {
        const lane = this.wakeDomain({ domain, account_no });
        if (this.isBlocked(lane)) this.noteWait(lane, outbound_no);
      }
    });
    const recovered = await this.services.store.write(recoverSendingOp, null);
    if (recovered > 0)
      this.services.log.info('email that was being sent is queued again', { emails: recovered });
    if (this.isStopped) return;
    this.state = 'running';
    for (const waiting of waitingDomains(this.services.store)) this.wakeDomain(waiting);
    this.watchClock();
  }

  /** Starts nothing more; what is being sent and does not end soon is put back into the queue. */
  async stop(): Promise<void> {
    this.state = 'stopped';
    this.deaf();
    this.clockAlarm();
    for (const lane of this.lanes.values()) lane.clearAlarm();
    if (!this.isQuiet) {
      const quiet = new Promise<void>((resolve) => {
        this.onQuiet = resolve;
      });
      const patience = setTimeout(() => this.cutOff.abort(), STOP_MS);
      // What still looks a name up then finds a closed store, and its mail is queued again by the next start.
      await Promise.race([quiet, Bun.sleep(STOP_MS + CUT_OFF_MS)]);
      clearTimeout(patience);
    }
    for (const host of this.hosts.values()) host.closeIdle();
  }

  private get isStopped(): boolean {
    return this.state === 'stopped';
  }

  private get isQuiet(): boolean {
    return this.atWork + this.unwritten === 0;
  }

  private get atWork(): number {
    return this.turns.proven.running + this.turns.fresh.running + this.turns.failing.running;
  }

  private wakeDomain({ domain, account_no }: Waiting): MailLane {
    const { way } = this.services.settings.outbound;
    const [key, share]: [string, Share] = way === 'smarthost' ? ['*', 'all'] : [domain, { domain }];
    const lane = this.lanes.get(key) ?? new MailLane(share);
    this.lanes.set(key, lane);
    lane.accounts.add(account_no);
    this.wake(lane);
    return lane;
  }

  private isBlocked(lane: MailLane): boolean {
    return lane.blockedUntilUs > this.services.clock.nowUs();
  }

  /** Has the emails that wait for a blocked lane say why: one that was just queued, or all that are due. */
  private noteWait(lane: MailLane, outboundNo: number | null): void {
    const { share, blockedReason: reason } = lane;
    this.services.store
      .write(noteWaitOp, { share, outbound_no: outboundNo, reason, max: rules.noted_rows })
      .catch((fault) => {
        this.services.log.warn('why emails wait could not be written down', { fault: String(fault) });
      });
  }

  /** There may be something to send for this lane. */
  private wake(lane: MailLane): void {
    if (this.state !== 'running' || lane.runs >= rules.at_once_of_host) return;
    const blockedUs = lane.blockedUntilUs - this.services.clock.nowUs();
    if (blockedUs > 0) {
      lane.setAlarm(this.services.clock, blockedUs, () => this.wake(lane));
      return;
    }
    this.turns[lane.kind].add(lane);
    if (this.turnIsSet) return;
    this.turnIsSet = true;
    setImmediate(() => {
      this.turnIsSet = false;
      this.turn();
    });
  }

  /** A connection of the host is free, for which the lane has waited: false when it has no use for it. */
  private wakeFor(host: Host, lane: MailLane): boolean {
    const isAwaited = lane.accounts.size > 0 && this.hasDue(lane);
    if (this.state !== 'running' || lane.runs >= rules.at_once_of_host || !isAwaited) return false;
    this.wake(lane);
    // It waits for something else now.
    if (lane.blockedUntilUs > this.services.clock.nowUs()) return false;
    lane.passOn();
    lane.toldBy = host;
    return true;
  }

  /** Starts a run for each lane that is ready, while there is room. */
  private turn(): void {
    this.checkClock();
    for (let turn = this.next(); turn; turn = this.next()) this.startRun(turn);
  }

  private next(): Turn | null {
    if (this.state !== 'running' || this.unwritten >= rules.unwritten_max) return null;
    const { proven, fresh, failing } = this.turns;
    const free = rules.at_once - this.atWork;
    const unproven = Math.min(free, rules.at_once_unproven - fresh.running - failing.running);
    return (
      fresh.take(unproven) ??
      failing.take(Math.min(unproven, rules.at_once_failing - failing.running)) ??
      proven.take(free)
    );
  }

  private startRun(turn: Turn): void {
    const { lane } = turn;
    const { kind } = lane;
    // What is not known to answer gets one connection.
    const most = kind === 'proven' ? rules.at_once_of_host : 1;
    if (lane.runs >= most || !this.hasDue(lane)) {
      lane.passOn();
      if (lane.runs === 0) this.rest(lane);
      return;
    }
    lane.runs += 1;
    this.turns[kind].begin(turn);
    // A second one, when there is more to send than one can carry at a time.
    if (lane.runs < most) this.wake(lane);
    const run = new Run(
      {
        services: this.services,
        ways: this.ways,
        hostOf: (server) => this.hostOf(server),
        signal: this.cutOff.signal,
        mayGoOn: () => this.state === 'running' && this.unwritten < rules.unwritten_max,
        isStopped: () => this.isStopped,
        onAnswer: (answered) => this.onAnswer(lane, answered),
        whileWriting: (writing) => this.whileWriting(lane, writing),
      },
      lane,
    );
    void run
      .go()
      .catch((fault: unknown) =>
        this.services.log.error('sending failed on our side; it is tried again', {
          fault: fault instanceof Error ? (fault.stack ?? fault.message) : String(fault),
        }),
      )
      .then((end) => {
        lane.runs -= 1;
        this.turns[kind].end(turn);
        if (end === undefined) this.block(lane, FAULT_PAUSE_US, 'sending failed on our side');
        else if (end.kind === 'blocked') this.block(lane, end.forUs, end.reason);
        const { host } = end?.kind === 'parked' && end.host.isFull ? end : { host: null };
        host?.whenFree(() => this.wakeFor(host, lane));
        // It may not have used the connection that it was told of.
        lane.passOn();
        if (!host) this.wake(lane);
        this.turn();
        if (this.isQuiet) this.onQuiet();
      });
  }

  private block(lane: MailLane, forUs: number, reason: string): void {
    lane.blockedUntilUs = this.services.clock.nowUs() + forUs;
    lane.blockedReason = reason;
    if (forUs > 0 && this.state === 'running') this.noteWait(lane, null);
  }

  private onAnswer(lane: MailLane, answered: boolean): void {
    const was = lane.kind;
    lane.kind = answered ? 'proven' : 'failing';
    // It may have a second connection now.
    if (answered && was !== 'proven') this.wake(lane);
  }

  private hasDue({ share }: MailLane): boolean {
    return dueEmails(this.services.store, share, this.services.clock.nowUs(), 1).length > 0;
  }

  /** Nothing is due: until when? */
  private rest(lane: MailLane): void {
    const { store, clock } = this.services;
    const nowUs = clock.nowUs();
    const nextAt = nextEmailDueAt(store, lane.share, nowUs);
    if (nextAt !== null) lane.setAlarm(clock, nextAt - nowUs, () => this.wake(lane));
    else if (lane.unwritten === 0) {
      for (const turns of Object.values(this.turns)) turns.delete(lane);
      lane.accounts.clear();
      const isForgettable = lane.kind !== 'proven' || this.lanes.size > rules.hosts_max;
      if (isForgettable && lane.share !== 'all') this.lanes.delete(lane.share.domain);
    }
  }

  private hostOf({ host: name, port }: Server): Host {
    const key = `${name}:${port}`;
    const known = this.hosts.get(key);
    if (known) return known;
    if (this.hosts.size >= rules.hosts_max) {
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
    // Its next due times are known now.
    this.wake(lane);
    this.turn();
    if (this.isQuiet) this.onQuiet();
  }

  private watchClock(): void {
    this.clockAlarm = this.services.clock.after(LOOK_MS, () => {
      this.checkClock();
      this.watchClock();
    });
  }

  /** When the wall clock was set, moves the due times along. */
  private checkClock(): void {
    const step = this.steps.look();
    if (!step || this.state !== 'running') return;
    const { clock, store, log } = this.services;
    this.ways.forgetAll();
    for (const host of this.hosts.values()) host.rebase(step.byUs);
    for (const lane of this.lanes.values()) lane.blockedUntilUs += step.byUs;
    const seconds = Math.round(step.byUs / 1_000_000);
    log.info('the clock was set; email that waits does so as long as before', { seconds });
    void store
      .write(rebaseQueueOp, { beforeUs: step.beforeUs, nowUs: clock.nowUs() })
      .catch((fault: unknown) =>
        log.warn('the times of waiting email could not be moved with the clock', { fault: String(fault) }),
      )
      .then(() => {
        for (const lane of this.lanes.values()) this.wake(lane);
      });
  }
}

/** After a fault of ours a lane waits so long, so that it does not come in a circle. */
const FAULT_PAUSE_US = 60_000_000;
