/** Every write operation, by which the writer thread knows it. */
import type { AnyWriteOp } from './store/operation.ts';

export const writes: readonly AnyWriteOp[] = [];
