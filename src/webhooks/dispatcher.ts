import type { Cancel } from '../core/clock.ts';
import type { Floor } from '../floor.ts';
import { deliveries as rules } from '../rules/deliveries.ts';
import { probeDelay } from './backoff.ts';
import { ClockSteps } from './clock-steps.ts';
import { Lane } from './lane.ts';
import { type Attempted, attemptDelivery, faultyAttempt } from './send.ts';
import { Sessions } from './sessions.ts';
import {
  type DueDelivery,
  dueDeliveries,
  nextDueAt,
  pendingDeliveries,
  type Webhook,
  waitingWebhooks,
  webhookOf,
} from './sql.ts';
import { rebaseOp, recordAttemptOp, recoverDeliveriesOp } from './writes.ts';

/*
 * Sends what is due. Who fails, for whom, how long, and what a crash leaves:
 * - A delivery and its due time are rows; nothing is noted when an attempt begins. A crash in the middle leaves the
 *   row as it was, so the next start sends it again, with the same event id: at least once.
 * - Held in memory: what is being sent (64 at most), and a few numbers for each webhook. A row is read when there is
 *   room to send it.
 * - A webhook gets its turns in a circle, one delivery a turn. Until its first success here, and while it fails, it has
 *   one at a time, and all of those together have a part of the room: they can't fill it.
 * - An attempt that can't be written down (full disk) stays in memory and is written later; it is not sent again.
 */

/** Between two looks at the wall clock when nothing else happens. */
const LOOK_MS = 10_000;
/** Until a result that the store refused is written again. */
const WRITE_AGAIN_MS = 2_000;
/** An orderly stop waits so long for what is being sent; then it is left for the next start. */
const STOP_MS = 3_000;

export class Dispatcher {
  private readonly lanes = new Map<number, Lane>();
  /** Inboxes that may have something to send now, in the order of their turns. */
  private readonly ready = new Set<number>();
  /** Those that wait for others of their kind to end: they may not take all the room. */
  private readonly held = { failing: new Set<number>(), fresh: new Set<number>() };
  private readonly steps: ClockSteps;
  private readonly sessions = new Sessions();
  private sending = 0;
  private readonly sending_unproven = { failing: 0, fresh: 0 };
  private unwritten = 0;
  private rebasing = false;
  private turn_is_set = false;
  private state: 'idle' | 'running' | 'stopped' = 'idle';
  private deaf: Cancel = () => {};
  private clock_alarm: Cancel = () => {};
  private onQuiet: () => void = () => {};
  /** Ends what is being sent. */
  private readonly cut_off = new AbortController();

  constructor(private readonly floor: Floor) {
    this.steps = new ClockSteps(floor.clock);
  }

  /** Begins with what came due while nobody was here. */
  start(): void {
    this.state = 'running';
    this.floor.meters.gauge('webhook_queue', () => pendingDeliveries(this.floor.store));
    this.deaf = this.floor.arrivals.listen(({ inbox_no, message_id, session, has_delivery }) => {
      if (!has_delivery) return;
      this.sessions.note(message_id, session);
      this.wake(inbox_no);
    });
    for (const inbox_no of waitingWebhooks(this.floor.store)) this.wake(inbox_no);
    // The clock may have been set while nobody looked.
    this.retime(this.floor.store.write(recoverDeliveriesOp, undefined));
    this.watchClock();
  }

  /** Starts nothing more; what is being sent and does not end soon is sent again after the next start. */
  async stop(): Promise<void> {
    this.state = 'stopped';
    this.deaf();
    this.clock_alarm();
    for (const lane of this.lanes.values()) lane.clearAlarm();
    if (this.isQuiet()) return;
    const quiet = new Promise<void>((resolve) => {
      this.onQuiet = resolve;
    });
    const patience = setTimeout(() => this.cut_off.abort(), STOP_MS);
    await quiet;
    clearTimeout(patience);
  }

  /** There may be something to send for this inbox. */
  wake(inbox_no: number): void {
    if (this.state !== 'running') return;
    this.ready.add(inbox_no);
    if (this.turn_is_set) return;
    this.turn_is_set = true;
    setImmediate(() => {
      this.turn_is_set = false;
      this.turn();
    });
  }

  /** The same, whatever the breaker says: somebody asked for it. */
  wakeNow(inbox_no: number): void {
    const lane = this.lanes.get(inbox_no);
    if (lane) lane.probe_at = 0;
    this.wake(inbox_no);
  }

  /** Goes round those that are ready, one delivery each, until nobody has something or nothing more may start. */
  private turn(): void {
    this.checkClock();
    do {
      for (const inbox_no of [...this.ready]) {
        if (!this.mayStart()) return;
        // Out of the line, and to its end when it had something.
        this.ready.delete(inbox_no);
        if (this.startOne(inbox_no)) this.ready.add(inbox_no);
      }
    } while (this.ready.size > 0 || this.takeHeld());
  }

  private mayStart(): boolean {
    const has_room = this.sending < rules.at_once && this.unwritten < rules.unwritten_max;
    return this.state === 'running' && !this.rebasing && has_room;
  }

  /** Starts the next delivery of an inbox; false when there is none, or it may not start now. */
  private startOne(inbox_no: number): boolean {
    const { store, clock } = this.floor;
    const lane = this.lanes.get(inbox_no) ?? new Lane(inbox_no);
    const hook = webhookOf(store, inbox_no);
    if (!hook?.is_enabled) {
      this.forget(lane);
      return false;
    }
    this.lanes.set(inbox_no, lane);
    const kind = kindOf(lane, hook);
    if (kind !== 'proven' && this.isFull(kind)) {
      this.held[kind].add(inbox_no);
      return false;
    }
    const now_us = clock.now_us();
    const room_in_us = lane.roomIn(hook.failures, this.sending >= rules.at_once_crowded, now_us);
    if (room_in_us === null) return false;
    if (room_in_us > 0) {
      lane.setAlarm(clock, room_in_us, () => this.wake(inbox_no));
      return false;
    }
    const due = dueDeliveries(store, inbox_no, now_us, lane.busy + 1).find(({ no }) => !lane.has(no));
    if (due) {
      void this.deliver(lane, hook, due, kind);
      return true;
    }
    const next_at = nextDueAt(store, inbox_no, now_us);
    if (next_at !== null) lane.setAlarm(clock, next_at - now_us, () => this.wake(inbox_no));
    return false;
  }

  /** Whether those that fail, or those that have shown nothing yet, have all the room that is theirs. */
  private isFull(kind: 'failing' | 'fresh'): boolean {
    const { failing, fresh } = this.sending_unproven;
    if (kind === 'failing' && failing >= rules.at_once_failing) return true;
    return failing + fresh >= rules.at_once_unproven;
  }

  private async deliver(lane: Lane, hook: Webhook, delivery: DueDelivery, kind: Kind): Promise<void> {
    lane.sending.add(delivery.no);
    this.sending += 1;
    if (kind !== 'proven') this.sending_unproven[kind] += 1;
    const result = await this.attempt(hook, delivery);
    this.tell(hook, delivery, result);
    lane.settling.add(delivery.no);
    lane.sending.delete(delivery.no);
    this.sending -= 1;
    if (kind !== 'proven') this.sending_unproven[kind] -= 1;
    if (result.outcome !== 'no_message') lane.trusted = result.outcome === 'delivered';
    // Before the result is written: its times are of the new clock.
    this.checkClock();
    this.wake(lane.inbox_no);
    // What the stop cut off goes back into the queue.
    this.unwritten += 1;
    if (!this.cut_off.signal.aborted) await this.record(lane, hook, result);
    this.unwritten -= 1;
    lane.settling.delete(delivery.no);
    this.wake(lane.inbox_no);
    if (this.isQuiet()) this.onQuiet();
  }

  /** Never the URL: what stands in its path is often a secret. */
  private tell(hook: Webhook, { id, message_id, tries }: DueDelivery, { outcome, attempt }: Attempted): void {
    this.floor.log.info('webhook attempt', {
      session: this.sessions.of(message_id),
      id: message_id,
      inbox: hook.inbox_id,
      event: id,
      attempt: tries + 1,
      outcome,
      status: attempt.response_status,
      ms: attempt.duration_ms,
    });
    this.floor.meters.count('webhook_attempts_total', { outcome });
    if (outcome !== 'no_message')
      this.floor.meters.observe('webhook_attempt_seconds', attempt.duration_ms / 1000);
  }

  private async attempt(hook: Webhook, delivery: DueDelivery): Promise<Attempted> {
    const at = this.floor.clock.now_us();
    try {
      return await attemptDelivery(this.floor, hook, delivery, this.cut_off.signal);
    } catch (fault) {
      this.floor.log.error('a webhook delivery failed on our side; it is tried again', {
        event: delivery.id,
        fault: fault instanceof Error ? (fault.stack ?? fault.message) : String(fault),
      });
      return faultyAttempt(hook, delivery, at, this.floor.clock.now_us());
    }
  }

  /** Settles when the result is in the store; goes on trying while the disk refuses. */
  private async record(lane: Lane, hook: Webhook, { asked_for_us, ...result }: Attempted): Promise<void> {
    const { store, clock, log } = this.floor;
    const ended_us = clock.now_us();
    for (;;) {
      try {
        const { failures, disabled } = await store.write(recordAttemptOp, result);
        // Without its message it was no probe: the next one need not wait for it.
        if (result.outcome !== 'no_message') lane.probe_at = ended_us + probeDelay(failures, asked_for_us);
        if (disabled) log.warn('a webhook was turned off', { inbox: hook.inbox_id, reason: disabled });
        return;
      } catch (fault) {
        // It is sent again after the next start.
        if (this.state === 'stopped') return;
        log.warn('the result of a webhook delivery could not be stored; it is tried again', {
          fault: String(fault),
        });
        await new Promise<void>((resolve) => clock.after(WRITE_AGAIN_MS, resolve));
      }
    }
  }

  /** Puts one that waits for others of its kind into the line, when there is room for it. */
  private takeHeld(): boolean {
    for (const kind of ['fresh', 'failing'] as const) {
      const [inbox_no] = this.held[kind];
      if (inbox_no === undefined || this.isFull(kind)) continue;
      this.held[kind].delete(inbox_no);
      this.ready.add(inbox_no);
      return true;
    }
    return false;
  }

  /** The webhook is gone or off. */
  private forget(lane: Lane): void {
    lane.clearAlarm();
    if (lane.busy === 0) this.lanes.delete(lane.inbox_no);
  }

  private isQuiet(): boolean {
    return [...this.lanes.values()].every(({ busy }) => busy === 0);
  }

  /** Nothing is being sent or written down, and nothing is about to be before time passes or mail comes. */
  get is_resting(): boolean {
    return !this.turn_is_set && !this.rebasing && this.isQuiet();
  }

  private watchClock(): void {
    this.clock_alarm = this.floor.clock.after(LOOK_MS, () => {
      this.checkClock();
      this.watchClock();
    });
  }

  /** When the wall clock was set, moves the due times along before anything else starts. */
  private checkClock(): void {
    const step = this.steps.look();
    if (!step || this.state !== 'running') return;
    const { clock, store, log } = this.floor;
    for (const lane of this.lanes.values()) lane.probe_at += step.by_us;
    log.info('the clock was set; webhooks that wait do so as long as before', {
      seconds: Math.round(step.by_us / 1_000_000),
    });
    this.retime(store.write(rebaseOp, { before_us: step.before_us, now_us: clock.now_us() }));
  }

  /** Nothing starts until the due times are moved. */
  private retime(moved: Promise<unknown>): void {
    const { log } = this.floor;
    this.rebasing = true;
    void moved
      .catch((fault: unknown) =>
        log.warn('the times of waiting webhooks could not be moved with the clock', { fault: String(fault) }),
      )
      .then(() => {
        this.rebasing = false;
        for (const inbox_no of this.lanes.keys()) this.wake(inbox_no);
        this.turn();
      });
  }
}

/** proven: it has answered 2xx since the start, and not failed since; fresh: nothing is known. */
type Kind = 'proven' | 'failing' | 'fresh';

function kindOf(lane: Lane, { failures }: Webhook): Kind {
  if (failures > 0) return 'failing';
  return lane.isProven(failures) ? 'proven' : 'fresh';
}

const dispatchers = new WeakMap<Floor, Dispatcher>();

/** The appliance's one dispatcher. It does nothing until it is started. */
export function dispatcherOf(floor: Floor): Dispatcher {
  let dispatcher = dispatchers.get(floor);
  if (!dispatcher) {
    dispatcher = new Dispatcher(floor);
    dispatchers.set(floor, dispatcher);
  }
  return dispatcher;
}
