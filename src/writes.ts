/** Every write operation, by which the writer thread knows it. */
import { account_writes } from './accounts/writes.ts';
import type { AnyWriteOp } from './store/operation.ts';

export const writes: readonly AnyWriteOp[] = [...account_writes];
