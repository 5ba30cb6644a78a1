import type { Cancel } from '../../platform/core/clock.ts';
import { readSubAddress } from '../../platform/mail/address.ts';
import type { Arrival, PlatformServices } from '../../platform/services.ts';
import { traps } from '../../rules/traps.ts';
import { Slots } from './slots.ts';
import type { Scope, WaitCandidate } from './sql.ts';

/** Why a wait or a stream gets no more messages. */
export type EndReason = 'deleted' | 'shutdown';

/** A wait or a stream. */
export interface Waiter {
  scope: Scope;
  /** Called when new mail has arrived, or when a claimed message was released. */
  ring: (released?: WaitCandidate) => void;
  end: (reason: EndReason) => void;
}

export interface WaitServices extends PlatformServices {
  readonly waits: Waits;
}

/** The fields of a message that decide which waits and streams it wakes. */
type Ringing = Pick<Arrival, 'account_no' | 'inbox_no' | 'envelope_recipient'>;

/**
 * All waits and streams of a server: their slots, which of them a message wakes, and which messages they are claiming.
 */
export class Waits {
  readonly slots: Slots;
  /** Ids of messages that a wait with mark_read is claiming. Other waits skip them. */
  readonly beingClaimed = new Set<string>();
  /** The waits that claim with the same Idempotency-Key: when one has claimed, the others return the same message. */
  private readonly repeats = new Map<string, Set<() => void>>();
  /** Waiters by room (nameRoom), so that a message wakes only those that it may match. */
  private readonly rooms = new Map<string, Set<Waiter>>();
  /** The rooms of an inbox: its own, and those of its sub-addresses. */
  private readonly ofInbox = new Map<number, Set<string>>();
  private stopped = false;

  constructor(services: PlatformServices) {
    this.slots = new Slots({
      ofPlan: (plan) => services.plans[plan].concurrent_waits,
      service: services.settings.wait_slots,
      free: services.settings.wait_slots_free,
      traps: traps.waitSlots,
    });
    services.meters.gauge('waits_open', () => this.slots.size);
    services.arrivals.listen((arrival) => this.ring(arrival));
    services.proven.listen((message) => this.ring(message));
    services.departures.listen((gone) => {
      if ('inbox_no' in gone) this.endRooms(this.ofInbox.get(gone.inbox_no) ?? [], 'deleted');
      else this.endRooms(this.rooms.keys(), 'deleted', gone.account_no);
    });
  }

  /** The number of waits and streams. Nearly always equals the number of slots held. */
  get size(): number {
    let size = 0;
    for (const waiters of this.rooms.values()) size += waiters.size;
    return size;
  }

  /**
   * Wakes those that a message may match. `released` is the message if its claim was undone, else new mail has arrived.
   */
  ring({ account_no, inbox_no, envelope_recipient }: Ringing, released?: WaitCandidate): void {
    if (this.rooms.size === 0) return;
    const scopes: Scope[] = [
      { account_no, inbox_no, recipient: null },
      { account_no, inbox_no: null },
    ];
    const sub = readSubAddress(envelope_recipient);
    if (sub) scopes.push({ account_no, inbox_no, recipient: sub.local });
    for (const scope of scopes) {
      // Iterate over a copy, because a waiter may leave when it is woken.
      for (const waiter of [...(this.rooms.get(nameRoom(scope)) ?? [])]) waiter.ring(released);
    }
  }

  /** Calls `look` when another wait with the same key has claimed a message. Returns a function that ends this. */
  enterRepeats(key: string, look: () => void): Cancel {
    const looks = this.repeats.get(key) ?? new Set();
    this.repeats.set(key, looks.add(look));
    return () => {
      looks.delete(look);
      if (looks.size === 0 && this.repeats.get(key) === looks) this.repeats.delete(key);
    };
  }

  ringRepeats(key: string): void {
    for (const look of [...(this.repeats.get(key) ?? [])]) look();
  }

  /** Adds a wait or a stream. Returns the function with which it leaves. */
  enter(waiter: Waiter): Cancel {
    if (this.stopped) {
      setImmediate(() => waiter.end('shutdown'));
      return () => {};
    }
    const room = nameRoom(waiter.scope);
    const others = this.rooms.get(room) ?? new Set<Waiter>();
    this.rooms.set(room, others.add(waiter));
    const { inbox_no } = waiter.scope;
    if (inbox_no !== null) {
      this.ofInbox.set(inbox_no, (this.ofInbox.get(inbox_no) ?? new Set<string>()).add(room));
    }
    return () => {
      others.delete(waiter);
      if (others.size === 0 && this.rooms.get(room) === others) this.closeRoom(room, inbox_no);
    };
  }

  /** Ends all waits (with 204) and streams (with `bye`). */
  stop(): void {
    this.stopped = true;
    this.endRooms(this.rooms.keys(), 'shutdown');
  }

  private closeRoom(room: string, inboxNo: number | null): void {
    this.rooms.delete(room);
    if (inboxNo === null) return;
    const siblings = this.ofInbox.get(inboxNo);
    siblings?.delete(room);
    if (siblings?.size === 0) this.ofInbox.delete(inboxNo);
  }

  /** Ends all waiters in some rooms, or only those of one account. */
  private endRooms(rooms: Iterable<string>, reason: EndReason, accountNo: number | null = null): void {
    for (const room of [...rooms]) {
      for (const waiter of [...(this.rooms.get(room) ?? [])]) {
        if (accountNo === null || waiter.scope.account_no === accountNo) waiter.end(reason);
      }
    }
  }
}

/** Names the room of a scope. In lower case, so that addresses that are the same to the store share a room. */
function nameRoom(scope: Scope): string {
  if (scope.inbox_no === null) return `account ${scope.account_no}`;
  return `inbox ${scope.inbox_no}${scope.recipient === null ? '' : ` ${scope.recipient.toLowerCase()}`}`;
}
