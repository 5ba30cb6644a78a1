import type { Cancel } from '../../platform/core/clock.ts';
import type { PlatformServices } from '../../platform/services.ts';
import { Slots } from './slots.ts';

/** Why a wait or a stream hears nothing more. */
export type EndReason = 'deleted' | 'shutdown';

/** Someone who waits for mail to an inbox. */
export interface Waiter {
  inbox_no: number;
  account_no: number;
  /** Mail has come. */
  ring: () => void;
  end: (reason: EndReason) => void;
}

export interface WaitServices extends PlatformServices {
  readonly waits: Waits;
}

/** Everyone who waits: their slots, whom an arrival wakes, and what is just being taken. One for an appliance. */
export class Waits {
  readonly slots: Slots;
  /** Ids of messages that a wait with mark_read is marking: of no use to any other. */
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

  /** How many wait: as many as there are slots held, a moment apart. */
  get size(): number {
    let size = 0;
    for (const waiters of this.byInbox.values()) size += waiters.size;
    return size;
  }

  /** There is something to look at: mail has come, or was given back. */
  ring(inboxNo: number): void {
    // A copy: who is woken may leave.
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

  /** Ends everyone: 204 to waits, `bye` to streams. */
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
