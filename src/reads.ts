/** Every read that goes to the reader thread. */
import type { AnyReadOp } from './store/operation.ts';

export const reads: readonly AnyReadOp[] = [];
