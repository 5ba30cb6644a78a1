import { fail } from '../../platform/core/failure.ts';
import type { ErrorCode } from '../../rules/errors.ts';
import type { AccountKind, Plan } from '../../rules/plans.ts';

/** The account that holds a slot. */
export interface Holder {
  no: number;
  plan: Plan;
  kind: AccountKind;
}

export interface SlotCaps {
  /** Cap of one account, by its plan. */
  ofPlan: (plan: Plan) => number;
  service: number;
  /** Cap of all Free and agent accounts together. */
  free: number;
}

interface Slot {
  account_no: number;
  is_free: boolean;
  /** The latest time at which it ends, microseconds. */
  endsUs: number;
}

/** Slots for waits and streams (docs/api-v1.md, Limits; docs/decisions.md, Wait and stream). */
export class Slots {
  private readonly held = new Set<Slot>();
  private readonly byAccount = new Map<number, Set<Slot>>();
  private free = 0;

  constructor(private readonly caps: SlotCaps) {}

  heldBy(accountNo: number): number {
    return this.byAccount.get(accountNo)?.size ?? 0;
  }

  get size(): number {
    return this.held.size;
  }

  /**
   * Takes a slot. Returns a function that releases it and may be called twice. Throws too_many_wait_requests (the
   * account's cap, checked first) or wait_capacity, with the seconds until a time-out may free a slot.
   */
  take(holder: Holder, endsUs: number, nowUs: number): () => void {
    const own = this.byAccount.get(holder.no) ?? new Set<Slot>();
    const isFree = holder.plan === 'free' || holder.kind === 'agent';
    if (own.size >= this.caps.ofPlan(holder.plan)) refuse('too_many_wait_requests', own, nowUs);
    if (this.held.size >= this.caps.service) refuse('wait_capacity', this.held, nowUs);
    if (isFree && this.free >= this.caps.free) {
      refuse(
        'wait_capacity',
        [...this.held].filter((slot) => slot.is_free),
        nowUs,
      );
    }
    const slot: Slot = { account_no: holder.no, is_free: isFree, endsUs };
    this.held.add(slot);
    this.byAccount.set(holder.no, own.add(slot));
    if (isFree) this.free += 1;
    return () => this.release(slot);
  }

  private release(slot: Slot): void {
    if (!this.held.delete(slot)) return;
    const own = this.byAccount.get(slot.account_no);
    own?.delete(slot);
    if (own?.size === 0) this.byAccount.delete(slot.account_no);
    if (slot.is_free) this.free -= 1;
  }
}

function refuse(code: ErrorCode, held: Iterable<Slot>, nowUs: number): never {
  let first = Number.POSITIVE_INFINITY;
  for (const { endsUs } of held) first = Math.min(first, endsUs);
  const waitS = Number.isFinite(first) ? Math.ceil((first - nowUs) / 1_000_000) : 1;
  return fail(code, { retry_after_s: Math.max(1, waitS) });
}
