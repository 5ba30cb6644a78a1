import { type Cancel, SECOND_US } from '../../platform/core/clock.ts';
import { type ClockStep, ClockWatch, measureSteps } from '../../platform/core/clock-watch.ts';
import { Idle } from '../../platform/core/idle.ts';
import { OncePerTurn } from '../../platform/core/next-turn.ts';
import { OrderlyStop } from '../../platform/core/orderly-stop.ts';
import { describeThrown } from '../../platform/core/thrown.ts';
import { type Turn, Turns } from '../../platform/core/turns.ts';
import { DueTimes } from '../../platform/due-times.ts';
import { KeptConnections } from '../../platform/net/kept-connections.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { deliveries as rules } from '../../rules/deliveries.ts';
import { ACCOUNT_NOTICE } from '../accounts/writes.ts';
import { WEBHOOK_NOTICE } from '../events/writes.ts';
import { computeProbeDelay } from './backoff.ts';
import { WebhookLane, type WebhookLaneKind } from './lane.ts';
import { Rushes } from './rush.ts';
import { attemptDelivery, type DeliveryAttempt, makeFaultyAttempt } from './send.ts';
import { Sessions } from './sessions.ts';
import {
  countPendingDeliveries,
  type DueDelivery,
  findNextDelivery,
  findNextDueAt,
  findWebhookAccount,
  findWebhookByNo,
  listWaitingWebhooks,
  type WaitingWebhook,
  type Webhook,
} from './sql.ts';
import { nameWebhook } from './view.ts';
import { type PendingPlace, pendingMoves, recordDeliveryOp } from './writes.ts';

/*
 * Sends due deliveries. How failures are contained, and what happens after a crash:
 * - A delivery and its due time are rows, and nothing is written when an attempt begins. A crash during an attempt
 *   leaves the row unchanged, so the next start sends it again with the same event id: at least once.
 * - Memory holds the deliveries being sent (64 at most) and a few numbers for each webhook that has pending ones or was
 *   called lately. A row is read only when it can be sent.
 * - Accounts take turns, and within one its webhooks, one delivery a turn. An account never gets all slots, so receivers
 *   that hang or take their time cost no other account its slots. A webhook gets one delivery at a time until its first
 *   success after a start, and while it fails. All such webhooks together may use only some of the slots.
 * - A result that can't be stored (full disk) stays in memory and is stored later; the delivery is not sent again.
 */

/** Pause before a result that could not be stored is written again. */
const RETRY_WRITE_MS = 2_000;

export interface WebhookServices extends PlatformServices {
  readonly webhooks: WebhookDispatcher;
}

const makeTurns = () => new Turns<WebhookLane>(rules.accountShare);

/** Sends due deliveries. Does nothing until it is started. */
export class WebhookDispatcher {
  private readonly lanes = new Map<number, WebhookLane>();
  /** Webhooks that may have something to send now. */
  private readonly ready = makeTurns();
  /** Webhooks that wait until others of their kind finish, because all slots of that kind are in use. */
  private readonly held = { failing: makeTurns(), fresh: makeTurns() };
  /** Webhooks with nothing to send, now or later. */
  private readonly idle = new Idle<WebhookLane>(rules.idleMax, (lane) => this.forget(lane));
  private readonly clockWatch: ClockWatch;
  private readonly nextTurn = new OncePerTurn(() => {
    if (this.state === 'running') this.services.store.readTogether(() => this.startTurns());
  });
  private readonly ending = new OrderlyStop(() => this.isQuiet());
  private readonly sessions = new Sessions();
  private readonly rushes = new Rushes();
  private readonly connections = new KeptConnections();
  private unwritten = 0;
  private readonly dueTimes: DueTimes<PendingPlace>;
  private state: 'idle' | 'running' | 'stopped' = 'idle';
  private stopListening: Cancel = () => {};

  constructor(private readonly services: PlatformServices) {
    this.clockWatch = new ClockWatch(services.clock, (step) => this.moveDueTimes(step));
    this.dueTimes = new DueTimes(services, pendingMoves, () => this.wakeAll());
  }

  /** Starts, with the deliveries that came due while the server was down. */
  start(): void {
    this.state = 'running';
    this.services.meters.gauge('webhook_queue', () => countPendingDeliveries(this.services.store));
    const stopArrivals = this.services.arrivals.listen(({ message_id, session, hasDelivery, account_no }) => {
      if (!hasDelivery) return;
      this.rushes.note(account_no);
      this.sessions.note(message_id, session);
    });
    const stopNotices = this.services.store.notices.listen(({ topic, no }) => {
      if (topic === WEBHOOK_NOTICE) this.wake(no);
      if (topic === ACCOUNT_NOTICE)
        for (const waiting of listWaitingWebhooks(this.services.store, no)) this.wakeLane(waiting);
    });
    this.stopListening = () => {
      stopArrivals();
      stopNotices();
    };
    for (const waiting of listWaitingWebhooks(this.services.store)) this.wakeLane(waiting);
    // The clock may have been set while the server was down.
    this.dueTimes.recover();
    this.clockWatch.start();
  }

  /** Starts no new attempts. Deliveries that do not finish soon are sent again after the next start. */
  async stop(): Promise<void> {
    this.state = 'stopped';
    this.stopListening();
    this.clockWatch.stop();
    this.dueTimes.stop();
    for (const lane of this.lanes.values()) lane.clearTimers();
    await this.ending.wait();
    this.connections.close();
  }

  /** Gives a webhook a turn, since it may have something to send. If it is busy, its next delivery to end does so. */
  wake(webhookNo: number): void {
    if (this.state !== 'running') return;
    const accountNo =
      this.lanes.get(webhookNo)?.accountNo ?? findWebhookAccount(this.services.store, webhookNo);
    if (accountNo !== null) this.wakeLane({ no: webhookNo, account_no: accountNo });
  }

  private wakeLane({ no, account_no }: WaitingWebhook): void {
    const lane = this.lanes.get(no) ?? new WebhookLane(no, account_no);
    this.lanes.set(no, lane);
    this.idle.delete(lane);
    if (!this.isBusy(lane)) this.ready.add(lane);
    if (!this.ready.isEmpty) this.nextTurn.ask();
  }

  /** Wakes a webhook and bypasses its breaker, because a person asked for it. */
  wakeNow(webhookNo: number): void {
    const lane = this.lanes.get(webhookNo);
    if (lane) lane.probeAt = 0;
    this.wake(webhookNo);
  }

  /** Takes turns among the ready webhooks, one delivery each, while any has something to send and may start. */
  private startTurns(): void {
    this.clockWatch.look();
    const hooks = new Map<number, Webhook>();
    let left = rules.turnsAtOnce;
    while (this.mayStart() && left-- > 0) {
      const turn = this.ready.take(rules.atOnce - this.ready.running);
      // It goes to the end of the line if it had something to send.
      if (turn && this.startDelivery(turn, hooks)) this.ready.add(turn.lane);
      if (!turn && !this.releaseHeld()) return;
    }
    if (left < 0) this.nextTurn.ask();
  }

  /** Whether a webhook has as many attempts in flight as it may have. */
  private isBusy(lane: WebhookLane): boolean {
    const isOneByOne = this.ready.running >= rules.atOnceCrowded || this.rushes.isOn(lane.accountNo);
    return lane.isPaused || lane.sending.size >= (isOneByOne ? 1 : rules.atOnceOfHook);
  }

  private mayStart(): boolean {
    const hasRoom = this.ready.running < rules.atOnce && this.unwritten < rules.unwrittenMax;
    return this.state === 'running' && !this.dueTimes.isMoving && hasRoom;
  }

  /**
   * Starts the next delivery of a webhook. Returns false if there is none, or it may not start now.
   * @param hooks the webhooks that were read in this turn
   */
  private startDelivery(turn: Turn<WebhookLane>, hooks: Map<number, Webhook>): boolean {
    const { store, clock } = this.services;
    const { lane } = turn;
    const { webhookNo } = lane;
    if (this.isBusy(lane)) return false;
    const pauseMs = this.rushes.pauseMs(lane, store.writesWaiting);
    if (lane.pauseFor(pauseMs, () => this.wake(webhookNo))) return false;
    const hook = hooks.get(webhookNo) ?? findWebhookByNo(store, webhookNo);
    // Its deliveries stay pending until the webhook is turned on again, or its account is active again.
    if (!hook?.is_enabled || hook.status !== 'active') {
      this.forget(lane);
      return false;
    }
    hooks.set(webhookNo, hook);
    const kind = lane.classify(hook);
    if (kind !== 'proven' && !this.held[kind].mayHold(lane.accountNo, this.countFree(kind))) {
      this.held[kind].add(lane);
      return false;
    }
    const nowUs = clock.nowUs();
    const roomInUs = lane.findDelay(hook, nowUs);
    if (roomInUs !== null && roomInUs > 0) lane.alarm.set(clock, roomInUs, () => this.wake(webhookNo));
    if (roomInUs !== 0) return false;
    const due = findNextDelivery(store, webhookNo, nowUs, lane.inFlight);
    if (due) {
      void this.deliver(turn, hook, due, kind);
      return true;
    }
    const nextAt = findNextDueAt(store, webhookNo, nowUs);
    if (nextAt !== null) lane.alarm.set(clock, nextAt - nowUs, () => this.wake(webhookNo));
    else if (lane.busy === 0) this.idle.add(lane);
    return false;
  }

  /** Counts the free slots that webhooks of a kind (failing, or without a success yet) may use. */
  private countFree(kind: 'failing' | 'fresh'): number {
    const { failing, fresh } = this.held;
    const free = rules.atOnceUnproven - failing.running - fresh.running;
    return kind === 'failing' ? Math.min(free, rules.atOnceFailing - failing.running) : free;
  }

  private async deliver(
    turn: Turn<WebhookLane>,
    hook: Webhook,
    delivery: DueDelivery,
    kind: WebhookLaneKind,
  ) {
    const { lane } = turn;
    lane.begin(delivery.no);
    this.ready.begin(turn);
    if (kind !== 'proven') this.held[kind].begin(turn);
    const result = await this.attempt(hook, delivery);
    this.logAttempt(hook, delivery, result);
    lane.settling.add(delivery.no);
    lane.sending.delete(delivery.no);
    this.ready.end(turn);
    if (kind !== 'proven') this.held[kind].end(turn);
    if (result.outcome !== 'no_message' && !result.isOwnFault)
      lane.isTrusted = result.outcome === 'delivered';
    // Before the result is stored, because its times follow the new clock.
    this.clockWatch.look();
    this.wake(lane.webhookNo);
    // Deliveries that the stop aborted go back into the queue.
    this.unwritten += 1;
    if (!this.ending.signal.aborted) await this.record(lane, hook, result);
    this.unwritten -= 1;
    lane.settling.delete(delivery.no);
    this.wake(lane.webhookNo);
    this.ending.note();
  }

  /** Never logs the URL: its path often contains a secret. */
  private logAttempt(hook: Webhook, delivery: DueDelivery, { outcome, attempt }: DeliveryAttempt): void {
    const { id, kind, subject_id, tries } = delivery;
    this.services.log.info('webhook attempt', {
      session: this.sessions.of(subject_id),
      id: subject_id,
      kind,
      ...nameWebhook(hook),
      event: id,
      attempt: tries + 1,
      outcome,
      status: attempt.response_status,
      ms: attempt.duration_ms,
    });
    this.services.meters.count('webhook_attempts_total', { outcome });
    if (outcome !== 'no_message')
      this.services.meters.observe('webhook_attempt_seconds', attempt.duration_ms / 1000);
  }

  private async attempt(hook: Webhook, delivery: DueDelivery): Promise<DeliveryAttempt> {
    const at = this.services.clock.nowUs();
    try {
      const kept = { connections: this.connections, name: hook.id };
      return await attemptDelivery(this.services, hook, delivery, { signal: this.ending.signal, kept });
    } catch (fault) {
      this.services.log.error('a webhook delivery failed on our side and will be retried', {
        event: delivery.id,
        fault: describeThrown(fault),
      });
      return makeFaultyAttempt(hook, delivery, at, this.services.clock.nowUs());
    }
  }

  /** Resolves when the result is stored. Keeps retrying while the disk refuses. */
  private async record(
    lane: WebhookLane,
    hook: Webhook,
    { retryAfterUs, ...result }: DeliveryAttempt,
  ): Promise<void> {
    const { store, clock, log } = this.services;
    const steps = measureSteps(clock);
    for (;;) {
      try {
        // The clock may have been set since the attempt, as the disk may refuse results for days.
        this.clockWatch.look();
        this.dueTimes.noteStored(result.deliveryNo);
        const dueAt = result.due_at === null ? null : result.due_at + steps();
        const { failures, disabled } = await store.write(recordDeliveryOp, { ...result, due_at: dueAt });
        // And since: the pause must be by the clock that the next check compares it with.
        this.clockWatch.look();
        // Nothing was sent for a deleted subject, so that was no probe, and the next delivery need not wait.
        if (result.outcome !== 'no_message' && !result.isOwnFault)
          lane.probeAt = clock.nowUs() + computeProbeDelay(failures, retryAfterUs);
        if (disabled) log.warn('a webhook was turned off', { ...nameWebhook(hook), reason: disabled });
        return;
      } catch (fault) {
        // The delivery is sent again after the next start.
        if (this.state === 'stopped') return;
        log.warn('the result of a webhook delivery could not be stored; retrying', {
          fault: String(fault),
        });
        await new Promise<void>((resolve) => clock.after(RETRY_WRITE_MS, resolve));
      }
    }
  }

  /** Moves one held webhook into the line, if its kind has a free slot. */
  private releaseHeld(): boolean {
    for (const kind of ['fresh', 'failing'] as const) {
      const turn = this.held[kind].take(this.countFree(kind));
      if (!turn) continue;
      this.ready.add(turn.lane);
      return true;
    }
    return false;
  }

  /** Drops the lane of a webhook that must not be called (removed, off, its account suspended) or was idle for long. */
  private forget(lane: WebhookLane): void {
    lane.clearTimers();
    if (lane.busy > 0) return;
    for (const turns of [this.ready, this.held.fresh, this.held.failing]) turns.delete(lane);
    this.idle.delete(lane);
    this.lanes.delete(lane.webhookNo);
  }

  private isQuiet(): boolean {
    return this.ready.running + this.unwritten === 0;
  }

  /** Whether nothing is being sent or stored, and nothing will be until time passes or mail arrives. */
  get isIdle(): boolean {
    return !this.nextTurn.isPending && !this.dueTimes.isMoving && this.isQuiet();
  }

  /** Moves due times after the wall clock was set, before anything else starts. */
  private moveDueTimes(step: ClockStep): void {
    if (this.state !== 'running') return;
    for (const lane of this.lanes.values()) lane.probeAt += step.byUs;
    this.services.log.info('the clock was set; due times of pending webhook deliveries moved with it', {
      seconds: Math.round(step.byUs / SECOND_US),
    });
    this.dueTimes.rebase(step);
  }

  /** Called when the due times of all webhooks have changed. */
  private wakeAll(): void {
    for (const webhookNo of this.lanes.keys()) this.wake(webhookNo);
    this.startTurns();
  }
}
