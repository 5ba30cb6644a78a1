/** Every read operation that the reader thread can run. */
import { findMails } from '../doors/compat/sql.ts';
import { searchInboxes } from '../doors/dashboard/sql.ts';
import { soundnessRead } from '../features/doctor/sql.ts';
import { searchByQuery } from '../features/messages/query/sql.ts';
import { searchAccount, searchMessages } from '../features/messages/search.ts';
import { listThreadsRead, readThreadRead } from '../features/threads/sql.ts';
import type { AnyReadOp } from '../platform/store/operation.ts';

export const reads: readonly AnyReadOp[] = [
  searchMessages,
  searchAccount,
  searchByQuery,
  searchInboxes,
  findMails,
  listThreadsRead,
  readThreadRead,
  soundnessRead,
];
