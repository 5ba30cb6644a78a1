import { type AnyWriteOp, writeOp } from '../../platform/store/operation.ts';
import { readFirst } from '../messages/writes.ts';

/**
 * Marks a message read for the wait that returns it. Returns false when it was already read: then it belongs to
 * another caller.
 */
export const takeMessageOp = writeOp('waits.take', (tx, { received_at }: { received_at: number }): boolean =>
  readFirst(tx, received_at),
);

export const waitWrites: readonly AnyWriteOp[] = [takeMessageOp];
