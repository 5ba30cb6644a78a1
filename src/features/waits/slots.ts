import { countSecondsUntil } from '../../platform/core/clock.ts';

import { fail } from '../../platform/core/failure.ts';
import type { ErrorCode } from '../../rules/errors.ts';
import type { AccountKind, Plan } from '../../rules/plans.ts';

/** The account that holds a slot. */
export interface Holder {
  no: number;
  plan: Plan;
  kind: AccountKind;
  /** Whether it is a trap on a server, whose slots are separate from those of the service. */
  trap: boolean;
}

export interface SlotCaps {
  /** The cap of one account, by its plan. */
  ofPlan: (plan: Plan) => number;
  /** The cap of all accounts together, without traps. */
  service: number;
  /** The cap of all Free and agent accounts together. */
  free: number;
  /** The cap of one trap, and of all traps together. */
  traps: number;
}

interface Slot {
  account_no: number;
  isFree: boolean;
  isTrap: boolean;
  /** The latest time at which it ends, in microseconds. */
  endsUs: number;
}

/** Slots for waits and streams (docs/api-v1.md, Limits; docs/decisions.md, Wait and stream). */
export class Slots {
  private readonly held = new Set<Slot>();
  private readonly byAccount = new Map<number, Set<Slot>>();
  private free = 0;
  private inTraps = 0;

  constructor(private readonly caps: SlotCaps) {}

  heldBy(accountNo: number): number {
    return this.byAccount.get(accountNo)?.size ?? 0;
  }

  get size(): number {
    return this.held.size;
  }

  /**
   * Takes a slot. Returns a function that releases it, which may be called more than once. Throws
   * too_many_wait_requests at the account's cap (checked first) or wait_capacity at a shared one, with the seconds
   * until a slot is free at the latest.
   */
  take(holder: Holder, endsUs: number, nowUs: number): () => void {
    const own = this.byAccount.get(holder.no) ?? new Set<Slot>();
    const { trap: isTrap } = holder;
    const isFree = !isTrap && (holder.plan === 'free' || holder.kind === 'agent');
    if (own.size >= (isTrap ? this.caps.traps : this.caps.ofPlan(holder.plan)))
      refuse('too_many_wait_requests', own, nowUs);
    const isFull = isTrap
      ? this.inTraps >= this.caps.traps
      : this.held.size - this.inTraps >= this.caps.service;
    if (isFull) refuse('wait_capacity', this.listHeld({ isTrap }), nowUs);
    if (isFree && this.free >= this.caps.free)
      refuse('wait_capacity', this.listHeld({ isFree: true }), nowUs);
    const slot: Slot = { account_no: holder.no, isFree, isTrap, endsUs };
    this.held.add(slot);
    this.byAccount.set(holder.no, own.add(slot));
    if (isFree) this.free += 1;
    if (isTrap) this.inTraps += 1;
    return () => this.release(slot);
  }

  private listHeld(of: Partial<Pick<Slot, 'isFree' | 'isTrap'>>): Slot[] {
    return [...this.held].filter(
      (slot) => slot.isTrap === (of.isTrap ?? slot.isTrap) && slot.isFree === (of.isFree ?? slot.isFree),
    );
  }

  private release(slot: Slot): void {
    if (!this.held.delete(slot)) return;
    const own = this.byAccount.get(slot.account_no);
    own?.delete(slot);
    if (own?.size === 0) this.byAccount.delete(slot.account_no);
    if (slot.isFree) this.free -= 1;
    if (slot.isTrap) this.inTraps -= 1;
  }
}

function refuse(code: ErrorCode, held: Iterable<Slot>, nowUs: number): never {
  let first = Number.POSITIVE_INFINITY;
  for (const { endsUs } of held) first = Math.min(first, endsUs);
  return fail(code, { retryAfterS: Number.isFinite(first) ? countSecondsUntil(first, nowUs) : 1 });
}
