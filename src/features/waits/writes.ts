import { type AnyWriteOp, writeOp } from '../../platform/store/operation.ts';
import { readFirst } from '../messages/writes.ts';

/** Marks a message read for the wait that returns it. Returns false when another caller has already read it. */
export const takeMessageOp = writeOp('waits.take', (tx, { received_at }: { received_at: number }): boolean =>
  readFirst(tx, received_at),
);

export const waitWrites: readonly AnyWriteOp[] = [takeMessageOp];
