import type { OnceRequest } from '../../platform/http/route.ts';
import {
  changeOutput,
  findEarlierOutput,
  forgetOutput,
  withIdempotency,
} from '../../platform/http/writes.ts';
import { type AnyWriteOp, type Reading, writeOp } from '../../platform/store/operation.ts';
import { markOne, markRead } from '../messages/writes.ts';
import { findLookedAt, type LookedAt } from './sql.ts';

/** The Idempotency-Key of a wait, which asks again when its answer was lost on the way. */
export type ClaimKey = OnceRequest | null;

interface Claim {
  received_at: number;
  id: string;
  once: ClaimKey;
}

/** What is remembered under the key of a claim. */
interface Claimed {
  id: string;
  /** How many requests were or are being given the message. */
  holders: number;
}

/**
 * Marks a message read for the wait that returns it. Returns false when another caller has already read it, or when
 * this Idempotency-Key has claimed a message before.
 */
export const takeMessageOp = writeOp('waits.take', (tx, { received_at, id, once }: Claim): boolean => {
  if (findEarlierOutput(tx, once, tx.nowUs) || !markRead(tx, received_at)) return false;
  withIdempotency(tx, once, (): Claimed => ({ id, holders: 1 }));
  return true;
});

/** Whether a message was claimed under this key. */
export function hasClaimed(reading: Reading, once: ClaimKey, nowUs: number): boolean {
  return findEarlierOutput<Claimed>(reading, once, nowUs) !== null;
}

/** The id of the message that was claimed under this key, for a repeat; null when none was, or it was given back. */
export const repeatClaimOp = writeOp(
  'waits.repeat_claim',
  (tx, { once }: { once: NonNullable<ClaimKey> }): string | null => {
    const earlier = findEarlierOutput<Claimed>(tx, once, tx.nowUs);
    if (!earlier) return null;
    const { id, holders } = earlier.output;
    changeOutput(tx, once, { id, holders: holders + 1 } satisfies Claimed);
    return id;
  },
);

/**
 * Undoes a claim, or a repeat of one, whose message was not delivered. Once no request has the message it is unread
 * again, and this returns it.
 */
export const giveBackMessageOp = writeOp(
  'waits.give_back',
  (tx, { account_no, id, once }: Omit<Claim, 'received_at'> & { account_no: number }): LookedAt | null => {
    const earlier = findEarlierOutput<Claimed>(tx, once, tx.nowUs);
    const holders = earlier === null ? 0 : earlier.output.holders - 1;
    if (once && holders > 0) {
      changeOutput(tx, once, { id, holders } satisfies Claimed);
      return null;
    }
    if (once) forgetOutput(tx, once);
    return markOne(tx, account_no, id, false) ? findLookedAt(tx, id) : null;
  },
);

export const waitWrites: readonly AnyWriteOp[] = [takeMessageOp, repeatClaimOp, giveBackMessageOp];
