/** Every write operation, by which the writer thread knows it. */
import { eraseDeletedAccountsOp } from './accounts/jobs.ts';
import { key_writes, revokeKeyOp } from './accounts/keys/writes.ts';
import {
  changePasswordOp,
  endOwnSessionOp,
  endSessionOp,
  endSessionsOp,
  session_writes,
  setUpOp,
  startSessionOp,
  switchSessionOp,
  touchSessionOp,
} from './accounts/sessions/writes.ts';
import { account_writes, deleteAccountOp, setPasswordOp } from './accounts/writes.ts';
import { closeTrialInbox, doctor_writes } from './doctor/writes.ts';
import { deleteDomainOp, domain_writes } from './domains/writes.ts';
import { forgetIdempotency } from './http/writes.ts';
import { deleteInboxOp, inbox_writes } from './inboxes/writes.ts';
import { diary_writes } from './ingest/diary/writes.ts';
import { dropRaw, dropUnfinished, ingest_writes } from './ingest/writes.ts';
import { indexSearch, mergeSearch } from './messages/index-search.ts';
import {
  deleteBatchOp,
  deleteMessageOp,
  markBatchOp,
  markMessageOp,
  message_writes,
} from './messages/writes.ts';
import { allowlist_writes } from './outbound/allowlist/writes.ts';
import {
  claimEmailOp,
  recordAttemptOp as recordSentOp,
  recoverSendingOp,
  releaseEmailsOp,
  sending_writes,
} from './outbound/sending/writes.ts';
import { outbound_writes } from './outbound/writes.ts';
import { registration_writes } from './registration/writes.ts';
import { giveBackOp } from './store/give-back.ts';
import { noteJobRunOp } from './store/job-run.ts';
import { type AnyWriteOp, onFullDisk } from './store/operation.ts';
import { takeMessageOp, wait_writes } from './waits/writes.ts';
import {
  recordAttemptOp as recordDeliveryOp,
  recoverDeliveriesOp,
  removeWebhookOp,
  webhook_writes,
} from './webhooks/writes.ts';

const all: readonly AnyWriteOp[] = [
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

/** Besides the work of jobs: what still runs when the disk is full (store/reserve.ts). It adds next to nothing. */
const on_full_disk = new Set<AnyWriteOp>([
  // What frees space, and what a delete leaves to be cleared.
  ...[deleteMessageOp, deleteBatchOp, deleteInboxOp, deleteAccountOp, deleteDomainOp, removeWebhookOp],
  ...[closeTrialInbox, dropRaw, dropUnfinished, revokeKeyOp],
  // The way to it: a person signs in, and a client reads what it may then delete.
  ...[startSessionOp, touchSessionOp, switchSessionOp, endSessionOp, endOwnSessionOp, endSessionsOp],
  ...[setUpOp, setPasswordOp, changePasswordOp, markMessageOp, markBatchOp, takeMessageOp],
  // What was sent to others, so that it is not sent again.
  ...[recordDeliveryOp, recoverDeliveriesOp, claimEmailOp, recordSentOp, releaseEmailsOp, recoverSendingOp],
]);

export const writes: readonly AnyWriteOp[] = all.map((operation) =>
  on_full_disk.has(operation) ? onFullDisk(operation) : operation,
);
