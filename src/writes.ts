/** Every write operation, by which the writer thread knows it. */
import { eraseDeletedAccountsOp } from './accounts/jobs.ts';
import { key_writes } from './accounts/keys/writes.ts';
import { session_writes } from './accounts/sessions/writes.ts';
import { account_writes } from './accounts/writes.ts';
import { doctor_writes } from './doctor/writes.ts';
import { domain_writes } from './domains/writes.ts';
import { forgetIdempotency } from './http/writes.ts';
import { inbox_writes } from './inboxes/writes.ts';
import { diary_writes } from './ingest/diary/writes.ts';
import { ingest_writes } from './ingest/writes.ts';
import { indexSearch, mergeSearch } from './messages/index-search.ts';
import { message_writes } from './messages/writes.ts';
import { allowlist_writes } from './outbound/allowlist/writes.ts';
import { sending_writes } from './outbound/sending/writes.ts';
import { outbound_writes } from './outbound/writes.ts';
import { registration_writes } from './registration/writes.ts';
import { giveBackOp } from './store/give-back.ts';
import { noteJobRunOp } from './store/job-run.ts';
import type { AnyWriteOp } from './store/operation.ts';
import { wait_writes } from './waits/writes.ts';
import { webhook_writes } from './webhooks/writes.ts';

export const writes: readonly AnyWriteOp[] = [
  ...account_writes,
  ...key_writes,
  ...session_writes,
  eraseDeletedAccountsOp,
  forgetIdempotency,
  ...inbox_writes,
  ...registration_writes,
  ...domain_writes,
  ...message_writes,
  indexSearch,
  mergeSearch,
  ...ingest_writes,
  ...diary_writes,
  ...wait_writes,
  ...webhook_writes,
  ...outbound_writes,
  ...sending_writes,
  ...doctor_writes,
  ...allowlist_writes,
  noteJobRunOp,
  giveBackOp,
];
