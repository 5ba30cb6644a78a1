/** Every write operation that the writer thread can run. */
import { eraseDeletedAccountsOp } from '../features/accounts/jobs.ts';
import { keyWrites, revokeKeyOp } from '../features/accounts/keys/writes.ts';
import { signInByOidcOp } from '../features/accounts/oidc/writes.ts';
import { passkeySignInWrites, signInByPasskeyOp } from '../features/accounts/passkeys/sign-in/writes.ts';
import { passkeyWrites } from '../features/accounts/passkeys/writes.ts';
import { secondFactorWrites } from '../features/accounts/second-factor/writes.ts';
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
} from '../features/accounts/sessions/writes.ts';
import { meterVerificationsOp } from '../features/accounts/usage/writes.ts';
import { accountWrites, deleteAccountOp, setPasswordOp } from '../features/accounts/writes.ts';
import { auditWrites } from '../features/audit/writes.ts';
import { closeTrialInbox, doctorWrites } from '../features/doctor/writes.ts';
import { deleteDomainOp, domainWrites } from '../features/domains/writes.ts';
import { eventWrites, setWebhookPlansOp } from '../features/events/writes.ts';
import { senderWrites } from '../features/inboxes/senders/writes.ts';
import { deleteInboxOp, inboxWrites } from '../features/inboxes/writes.ts';
import { acceptWrites } from '../features/ingest/accept/writes.ts';
import { diaryWrites } from '../features/ingest/diary/writes.ts';
import { repackOp } from '../features/ingest/jobs.ts';
import { dropRaw, dropUnfinished, ingestWrites } from '../features/ingest/writes.ts';
import { recordErrandOp } from '../features/mail-rules/errands/writes.ts';
import { deleteRuleOp, mailRuleWrites } from '../features/mail-rules/writes.ts';
import { indexSearch, mergeSearch } from '../features/messages/index-search.ts';
import { threadOldOp } from '../features/messages/threads/jobs.ts';
import {
  deleteBatchOp,
  deleteMessageOp,
  markBatchOp,
  markMessageOp,
  messageWrites,
} from '../features/messages/writes.ts';
import { allowlistWrites } from '../features/outbound/allowlist/writes.ts';
import { holdWrites, rejectHeldOp } from '../features/outbound/hold/writes.ts';
import { dropLargeOp } from '../features/outbound/mime/writes.ts';
import {
  claimEmailOp,
  recordSentOp,
  recoverSendingOp,
  releaseEmailsOp,
  sendingWrites,
} from '../features/outbound/sending/writes.ts';
import { outboundWrites } from '../features/outbound/writes.ts';
import { registrationWrites } from '../features/registration/writes.ts';
import { claimMessageOp, waitWrites } from '../features/waits/writes.ts';
import { removeWebhookOp, setupWrites } from '../features/webhooks/setup/writes.ts';
import { deliveryWrites, recordDeliveryOp, recoverDeliveriesOp } from '../features/webhooks/writes.ts';
import { forgetIdempotency } from '../platform/http/writes.ts';
import { giveBackOp } from '../platform/store/give-back.ts';
import { noteJobRunOp } from '../platform/store/job-run.ts';
import { type AnyWriteOp, onFullDisk } from '../platform/store/operation.ts';

const all: readonly AnyWriteOp[] = [
  ...auditWrites,
  ...accountWrites,
  ...keyWrites,
  ...sessionWrites,
  signInByOidcOp,
  ...secondFactorWrites,
  ...passkeyWrites,
  ...passkeySignInWrites,
  meterVerificationsOp,
  eraseDeletedAccountsOp,
  forgetIdempotency,
  ...eventWrites,
  ...inboxWrites,
  ...senderWrites,
  ...registrationWrites,
  ...domainWrites,
  ...messageWrites,
  indexSearch,
  mergeSearch,
  threadOldOp,
  ...ingestWrites,
  ...acceptWrites,
  repackOp,
  ...diaryWrites,
  ...mailRuleWrites,
  ...waitWrites,
  ...setupWrites,
  ...deliveryWrites,
  ...outboundWrites,
  ...sendingWrites,
  ...doctorWrites,
  ...allowlistWrites,
  ...holdWrites,
  noteJobRunOp,
  giveBackOp,
];

/** Operations, besides jobs, that also run while the disk is full (platform/store/reserve.ts). None of them adds much. */
// biome-ignore format: row by row
const whileDiskIsFull = new Set<AnyWriteOp>([
  // Those that free space, and the clean-up after a delete.
  deleteMessageOp, deleteBatchOp, deleteInboxOp, deleteAccountOp, deleteDomainOp, removeWebhookOp,
  rejectHeldOp, closeTrialInbox, dropRaw, dropUnfinished, dropLargeOp, revokeKeyOp,
  // Those that every start runs.
  setWebhookPlansOp,
  // Those that lead to a delete: a person signs in, a client marks or takes a message before it deletes it.
  startSessionOp, signInByPasskeyOp, touchSessionOp, switchSessionOp, endSessionOp, endOwnSessionOp, endSessionsOp,
  setUpOp, setPasswordOp, changePasswordOp, markMessageOp, markBatchOp, claimMessageOp,
  // Those that record what was sent, so that it is not sent again.
  recordDeliveryOp, recoverDeliveriesOp, claimEmailOp, recordSentOp, releaseEmailsOp, recoverSendingOp,
  deleteRuleOp, recordErrandOp,
]);

export const writes: readonly AnyWriteOp[] = all.map((operation) =>
  whileDiskIsFull.has(operation) ? onFullDisk(operation) : operation,
);
