import type { OnceRequest } from '../../platform/http/route.ts';
import {
  changeOutput,
  findEarlierOutput,
  forgetOutput,
  withIdempotency,
} from '../../platform/http/writes.ts';
import { type AnyWriteOp, onFullDisk, type Reading, writeOp } from '../../platform/store/operation.ts';
import { markOne, markRead } from '../messages/writes.ts';
import { findWaitCandidate, type WaitCandidate } from './sql.ts';

/** The Idempotency-Key of a wait, whose client repeats the request if the response was lost on the way. */
export type ClaimKey = OnceRequest | null;

interface Claim {
  received_at: number;
  id: string;
  once: ClaimKey;
}

/** The output that is stored for the key of a claim. */
interface Claimed {
  id: string;
  /** How many requests have got the message, or are about to. */
  holders: number;
}

/**
 * Marks a message read for the wait that returns it. Returns false if it is read already, or if this Idempotency-Key
 * has claimed a message before.
 */
export const claimMessageOp = writeOp('waits.claim', (tx, { received_at, id, once }: Claim): boolean => {
  if (findEarlierOutput(tx, once, tx.nowUs) || !markRead(tx, received_at)) return false;
  withIdempotency(tx, once, (): Claimed => ({ id, holders: 1 }));
  return true;
});

/** Whether a message was claimed with this key. */
export function hasClaimed(reading: Reading, once: ClaimKey, nowUs: number): boolean {
  return findEarlierOutput<Claimed>(reading, once, nowUs) !== null;
}

/** Returns the message that was claimed with this key, to a repeat. Null if there is none, or if it was released. */
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
 * Undoes a claim, or a repeat of one, whose message did not reach the client. If no other request has the message,
 * marks it unread and returns it.
 */
export const releaseClaimOp = writeOp(
  'waits.release',
  (
    tx,
    { account_no, id, once }: Omit<Claim, 'received_at'> & { account_no: number },
  ): WaitCandidate | null => {
    const earlier = findEarlierOutput<Claimed>(tx, once, tx.nowUs);
    const holders = earlier === null ? 0 : earlier.output.holders - 1;
    if (once && holders > 0) {
      changeOutput(tx, once, { id, holders } satisfies Claimed);
      return null;
    }
    if (once) forgetOutput(tx, once);
    return markOne(tx, account_no, id, false) ? findWaitCandidate(tx, id) : null;
  },
);

export const waitWrites: readonly AnyWriteOp[] = [onFullDisk(claimMessageOp), repeatClaimOp, releaseClaimOp];
