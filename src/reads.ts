/** Every read that goes to the reader thread. */
import { searchInboxes } from './dashboard/sql.ts';
import { soundnessRead } from './doctor/sql.ts';
import { searchAccount, searchMessages } from './messages/search.ts';
import type { AnyReadOp } from './store/operation.ts';

export const reads: readonly AnyReadOp[] = [searchMessages, searchAccount, searchInboxes, soundnessRead];
