import type { Cancel } from '../../platform/core/clock.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { Slots } from './slots.ts';

/** Why a wait or a stream gets no more messages. */
export type EndReason = 'deleted' | 'shutdown';

/** A wait or a stream on an inbox. */
export interface Waiter {
  inbox_no: number;
  account_no: number;
  /** New mail arrived. */
  ring: () => void;
  end: (reason: EndReason) => void;
}

export interface WaitServices extends PlatformServices {
  readonly waits: Waits;
}

/** All waits and streams: their slots, which of them an arrival wakes, and what they are claiming. One per server. */
export class Waits {
  readonly slots: Slots;
  /** Ids of messages that a wait with mark_read is claiming. Other waits skip them. */
  readonly taken = new Set<string>();
  private readonly byInbox = new Map<number, Set<Waiter>>();
  private stopped = false;

  constructor(services: PlatformServices) {
    this.slots = new Slots({
      ofPlan: (plan) => services.plans[plan].concurrent_waits,
      service: services.settings.wait_slots,
      free: services.settings.wait_slots_free,
    });
    services.meters.gauge('waits_open', () => this.slots.size);
    services.arrivals.listen(({ inbox_no }) => this.ring(inbox_no));
    services.departures.listen((gone) => {
      this.endAll('deleted', (waiter) =>
        'inbox_no' in gone ? waiter.inbox_no === gone.inbox_no : waiter.account_no === gone.account_no,
      );
    });
  }

  /** How many are waiting. Equals the number of slots held, give or take a moment. */
  get size(): number {
    let size = 0;
    for (const waiters of this.byInbox.values()) size += waiters.size;
    return size;
  }

  /** There may be something new: mail arrived, or a claimed message was released. */
  ring(inboxNo: number): void {
    // Iterate over a copy, because a woken waiter may leave.
    for (const waiter of [...(this.byInbox.get(inboxNo) ?? [])]) waiter.ring();
  }

  enter(waiter: Waiter): Cancel {
    if (this.stopped) {
      setImmediate(() => waiter.end('shutdown'));
      return () => {};
    }
    const others = this.byInbox.get(waiter.inbox_no) ?? new Set<Waiter>();
    this.byInbox.set(waiter.inbox_no, others.add(waiter));
    return () => {
      others.delete(waiter);
      if (others.size === 0 && this.byInbox.get(waiter.inbox_no) === others)
        this.byInbox.delete(waiter.inbox_no);
    };
  }

  /** Ends all of them: waits with 204, streams with `bye`. */
  stop(): void {
    this.stopped = true;
    this.endAll('shutdown', () => true);
  }

  private endAll(reason: EndReason, concerns: (waiter: Waiter) => boolean): void {
    for (const waiters of [...this.byInbox.values()]) {
      for (const waiter of [...waiters]) if (concerns(waiter)) waiter.end(reason);
    }
  }
}
