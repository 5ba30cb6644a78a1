/** Every write operation, by which the writer thread knows it. */
import { eraseDeletedAccountsOp } from './accounts/jobs.ts';
import { keyWrites, revokeKeyOp } from './accounts/keys/writes.ts';
import {
  changePasswordOp,
  endOwnSessionOp,
  endSessionOp,
  endSessionsOp,
  sessionWrites,
  setUpOp,
  startSessionOp,
  switchSessionOp,
  touchSessionOp,
} from './accounts/sessions/writes.ts';
import { accountWrites, deleteAccountOp, setPasswordOp } from './accounts/writes.ts';
import { closeTrialInbox, doctorWrites } from './doctor/writes.ts';
import { deleteDomainOp, domainWrites } from './domains/writes.ts';
import { forgetIdempotency } from './http/writes.ts';
import { deleteInboxOp, inboxWrites } from './inboxes/writes.ts';
import { diaryWrites } from './ingest/diary/writes.ts';
import { dropRaw, dropUnfinished, ingestWrites } from './ingest/writes.ts';
import { indexSearch, mergeSearch } from './messages/index-search.ts';
import {
  deleteBatchOp,
  deleteMessageOp,
  markBatchOp,
  markMessageOp,
  messageWrites,
} from './messages/writes.ts';
import { allowlistWrites } from './outbound/allowlist/writes.ts';
import {
  claimEmailOp,
  recordAttemptOp as recordSentOp,
  recoverSendingOp,
  releaseEmailsOp,
  sendingWrites,
} from './outbound/sending/writes.ts';
import { outboundWrites } from './outbound/writes.ts';
import { registrationWrites } from './registration/writes.ts';
import { giveBackOp } from './store/give-back.ts';
import { noteJobRunOp } from './store/job-run.ts';
import { type AnyWriteOp, onFullDisk } from './store/operation.ts';
import { takeMessageOp, waitWrites } from './waits/writes.ts';
import {
  recordAttemptOp as recordDeliveryOp,
  recoverDeliveriesOp,
  removeWebhookOp,
  webhookWrites,
} from './webhooks/writes.ts';

const all: readonly AnyWriteOp[] = [
  ...accountWrites,
  ...keyWrites,
  ...sessionWrites,
  eraseDeletedAccountsOp,
  forgetIdempotency,
  ...inboxWrites,
  ...registrationWrites,
  ...domainWrites,
  ...messageWrites,
  indexSearch,
  mergeSearch,
  ...ingestWrites,
  ...diaryWrites,
  ...waitWrites,
  ...webhookWrites,
  ...outboundWrites,
  ...sendingWrites,
  ...doctorWrites,
  ...allowlistWrites,
  noteJobRunOp,
  giveBackOp,
];

/** Besides the work of jobs: what still runs when the disk is full (store/reserve.ts). It adds next to nothing. */
const whileDiskIsFull = new Set<AnyWriteOp>([
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
  whileDiskIsFull.has(operation) ? onFullDisk(operation) : operation,
);
