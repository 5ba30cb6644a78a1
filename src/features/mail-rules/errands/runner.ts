import { type Cancel, SECOND_US } from '../../../platform/core/clock.ts';
import { ClockWatch, measureSteps } from '../../../platform/core/clock-watch.ts';
import { OncePerTurn } from '../../../platform/core/next-turn.ts';
import { OrderlyStop } from '../../../platform/core/orderly-stop.ts';
import { sleep } from '../../../platform/core/sleep.ts';
import { describeThrown } from '../../../platform/core/thrown.ts';
import { DueTimes } from '../../../platform/due-times.ts';
import type { PlatformServices } from '../../../platform/services.ts';
import { errands as bounds } from '../../../rules/mail-rules.ts';
import type { ErrandKind } from '../rule.ts';
import { type ErrandQueue, type ErrandRow, findNextQueue, listWaitingErrands } from '../sql.ts';
import { ERRAND_NOTICE } from '../writes.ts';
import { carryOutForward } from './forward.ts';
import { carryOutNotice } from './notify.ts';
import { type ErrandPlace, type ErrandResult, errandMoves, recordErrandOp } from './writes.ts';

/*
 * Carries out what rules send. An errand is a row that is written with its message, and nothing is written when an
 * attempt begins. So a crash leaves it waiting and the next start repeats it: at least once. A forward becomes an email
 * in the transaction that ends its errand, so it is queued exactly once. Accounts take turns, one errand a turn.
 */

/** Pause before an errand that failed on our side is tried again. */
const RETRY_MS = 60_000;
/** Pause before a result that could not be stored is written again. */
const RETRY_WRITE_MS = 2_000;
/** The longest sleep, because the wall clock may be set in the meantime. */
const SLEEP_MS_MAX = 60_000;

export interface ErrandServices extends PlatformServices {
  readonly errands: ErrandRunner;
}

const slots: Record<ErrandKind, { all: number; account: number }> = {
  forward: { all: bounds.forwardsAtOnce, account: bounds.forwardsOfAccount },
  notify: { all: bounds.noticesAtOnce, account: bounds.noticesOfAccount },
};

/** The errands of one account and kind. */
class Lane {
  readonly inProgress = new Set<number>();
  alarm: Cancel | null = null;

  constructor(readonly queue: ErrandQueue) {}
}

/** Carries out errands. Does nothing until it is started. */
export class ErrandRunner {
  private readonly lanes = new Map<string, Lane>();
  /** Lanes that may have something to carry out now, in the order of their turns. */
  private readonly ready: Record<ErrandKind, Set<Lane>> = { forward: new Set(), notify: new Set() };
  private readonly inProgress: Record<ErrandKind, number> = { forward: 0, notify: 0 };
  private state: 'idle' | 'running' | 'stopped' = 'idle';
  private readonly clockWatch: ClockWatch;
  private readonly dueTimes: DueTimes<ErrandPlace>;
  private readonly nextTurn = new OncePerTurn(() => {
    if (this.state === 'running') this.clockWatch.look();
    for (const kind of ['forward', 'notify'] as const) this.startTurns(kind);
    this.ending.note();
  });
  private readonly ending = new OrderlyStop(() => this.isQuiet);
  private stopListening: Cancel = () => {};

  constructor(private readonly services: PlatformServices) {
    this.clockWatch = new ClockWatch(services.clock, (step) => this.dueTimes.rebase(step));
    this.dueTimes = new DueTimes(services, errandMoves, () => this.wakeAll());
  }

  /** Starts, with the errands that an earlier run left. */
  start(): void {
    this.state = 'running';
    this.stopListening = this.services.store.notices.listen(({ topic, no }) => {
      if (topic !== ERRAND_NOTICE) return;
      this.wake({ account_no: no, kind: 'forward' });
      this.wake({ account_no: no, kind: 'notify' });
    });
    let queue = findNextQueue(this.services.store, null);
    while (queue) {
      this.wake(queue);
      queue = findNextQueue(this.services.store, queue);
    }
    // The clock may have been set while the server was down.
    this.dueTimes.recover();
    this.clockWatch.start();
  }

  /** Starts no new attempts. Those that do not finish soon are repeated after the next start. */
  async stop(): Promise<void> {
    this.state = 'stopped';
    this.stopListening();
    this.clockWatch.stop();
    this.dueTimes.stop();
    for (const { alarm } of this.lanes.values()) alarm?.();
    await this.ending.wait();
  }

  /** Whether nothing is in progress, and nothing will be until time passes or mail arrives. */
  get isIdle(): boolean {
    return !this.dueTimes.isMoving && this.isQuiet;
  }

  private get isQuiet(): boolean {
    return !this.nextTurn.isPending && this.inProgress.forward + this.inProgress.notify === 0;
  }

  private wake(queue: ErrandQueue): void {
    if (this.state !== 'running') return;
    const name = `${queue.kind} ${queue.account_no}`;
    const lane = this.lanes.get(name) ?? new Lane(queue);
    this.lanes.set(name, lane);
    this.ready[queue.kind].add(lane);
    this.nextTurn.ask();
  }

  /** Called when due times have moved. */
  private wakeAll(): void {
    for (const { queue } of this.lanes.values()) this.wake(queue);
  }

  /** Gives the ready lanes of a kind turns, one errand each, while there are free slots. */
  private startTurns(kind: ErrandKind): void {
    for (const lane of this.ready[kind]) {
      if (this.state !== 'running' || this.dueTimes.isMoving) return;
      if (this.inProgress[kind] >= slots[kind].all) return;
      // It goes to the end of the line if it had something.
      this.ready[kind].delete(lane);
      if (this.startErrand(lane)) this.ready[kind].add(lane);
    }
  }

  private startErrand(lane: Lane): boolean {
    const { queue, inProgress: underWay } = lane;
    if (underWay.size >= slots[queue.kind].account) return false;
    const { store, clock } = this.services;
    const next = listWaitingErrands(store, queue, underWay.size + 1).find(({ no }) => !underWay.has(no));
    lane.alarm?.();
    lane.alarm = null;
    if (!next) {
      if (underWay.size === 0) this.lanes.delete(`${queue.kind} ${queue.account_no}`);
      return false;
    }
    const inMs = (next.due_at! - clock.nowUs()) / 1000;
    if (inMs > 0) {
      lane.alarm = clock.after(Math.min(inMs, SLEEP_MS_MAX), () => this.wake(queue));
      return false;
    }
    void this.carryOut(lane, next);
    return true;
  }

  private async carryOut(lane: Lane, errand: ErrandRow): Promise<void> {
    const { kind } = errand;
    lane.inProgress.add(errand.no);
    this.inProgress[kind] += 1;
    try {
      const result = await this.attempt(errand);
      // An attempt that the stop aborted has no result: it is repeated.
      if (result && !this.ending.signal.aborted) await this.record(result);
      this.logResult(errand, result);
    } catch (fault) {
      this.services.log.error('a forward or notice of a rule failed on our side and will be retried', {
        rule: errand.rule_id,
        fault: describeThrown(fault),
      });
    } finally {
      this.inProgress[kind] -= 1;
      lane.inProgress.delete(errand.no);
      this.wake(lane.queue);
      this.ending.note();
    }
  }

  private async attempt(errand: ErrandRow): Promise<ErrandResult | null> {
    try {
      return errand.kind === 'forward'
        ? await carryOutForward(this.services, errand)
        : await carryOutNotice(this.services, errand, this.ending.signal);
    } catch (fault) {
      this.services.log.error('a forward or notice of a rule failed on our side and will be retried', {
        rule: errand.rule_id,
        fault: describeThrown(fault),
      });
      return judgeFault(errand, this.services.clock.nowUs());
    }
  }

  /** Resolves when the result is stored. Keeps retrying while the disk refuses. */
  private async record(result: ErrandResult): Promise<void> {
    const steps = measureSteps(this.services.clock);
    while (this.state !== 'stopped') {
      try {
        // The clock may have been set since the attempt.
        this.clockWatch.look();
        this.dueTimes.noteStored(result.no);
        const dueAt = result.due_at === null ? null : result.due_at + steps();
        return await this.services.store.write(recordErrandOp, { ...result, due_at: dueAt });
      } catch (fault) {
        this.services.log.warn('the result of a forward or notice of a rule could not be stored; retrying', {
          fault: String(fault),
        });
        await sleep(this.services.clock, RETRY_WRITE_MS, this.ending.signal);
      }
    }
  }

  /** Never logs a URL: its path often contains a secret. */
  private logResult({ rule_id, kind, tries }: ErrandRow, result: ErrandResult | null): void {
    const { status, reason } = result ?? { status: 'done', reason: null };
    this.services.log.info('a rule sent something', {
      rule: rule_id,
      kind,
      attempt: tries + 1,
      status,
      reason,
    });
    this.services.meters.count('rule_errands_total', { kind, status });
  }
}

/**
 * Returns the result after a fault on our side. Tried again only for a day, since a fault may be a bug with one mail.
 */
function judgeFault({ no, created_at }: ErrandRow, nowUs: number): ErrandResult {
  const isOver = nowUs > created_at + bounds.forwardWaitS * SECOND_US;
  const reason = 'it failed on our side; the log says why';
  return isOver
    ? { no, status: 'failed', reason, due_at: null }
    : { no, status: 'pending', reason, due_at: nowUs + RETRY_MS * 1000 };
}
