import type { OnceRequest } from '../../platform/http/route.ts';
import { findEarlierOutput, forgetOutput, withIdempotency } from '../../platform/http/writes.ts';
import { type AnyWriteOp, type Reading, writeOp } from '../../platform/store/operation.ts';
import { markOne, readFirst } from '../messages/writes.ts';

/** The Idempotency-Key of a wait, which asks again when its answer was lost on the way. */
export type ClaimKey = OnceRequest | null;

interface Claim {
  received_at: number;
  id: string;
  once: ClaimKey;
}

/**
 * Marks a message read for the wait that returns it. Returns false when another caller has already read it, or when this
 * Idempotency-Key has claimed a message before.
 */
export const takeMessageOp = writeOp('waits.take', (tx, { received_at, id, once }: Claim): boolean => {
  if (findEarlierOutput(tx, once, tx.nowUs) || !readFirst(tx, received_at)) return false;
  withIdempotency(tx, once, () => id);
  return true;
});

/** The id of the message that was claimed under this key; null when none was. */
export function findClaimed(reading: Reading, once: ClaimKey, nowUs: number): string | null {
  return findEarlierOutput<string>(reading, once, nowUs)?.output ?? null;
}

/** Undoes it for a client that is gone. */
export const giveBackMessageOp = writeOp(
  'waits.give_back',
  (tx, { account_no, id, once }: Omit<Claim, 'received_at'> & { account_no: number }): void => {
    markOne(tx, account_no, id, false);
    forgetOutput(tx, once);
  },
);

export const waitWrites: readonly AnyWriteOp[] = [takeMessageOp, giveBackMessageOp];
