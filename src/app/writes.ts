/** Every write operation that the writer thread can run. */
import { eraseDeletedAccountsOp } from '../features/accounts/jobs.ts';
import { keyWrites } from '../features/accounts/keys/writes.ts';
import { oidcWrites } from '../features/accounts/oidc/writes.ts';
import { passkeySignInWrites } from '../features/accounts/passkeys/sign-in/writes.ts';
import { passkeyWrites } from '../features/accounts/passkeys/writes.ts';
import { secondFactorWrites } from '../features/accounts/second-factor/writes.ts';
import { sessionWrites } from '../features/accounts/sessions/writes.ts';
import { meterVerificationsOp } from '../features/accounts/usage/writes.ts';
import { accountWrites } from '../features/accounts/writes.ts';
import { auditWrites } from '../features/audit/writes.ts';
import { doctorWrites } from '../features/doctor/writes.ts';
import { domainWrites } from '../features/domains/writes.ts';
import { eventWrites } from '../features/events/writes.ts';
import { senderWrites } from '../features/inboxes/senders/writes.ts';
import { inboxWrites } from '../features/inboxes/writes.ts';
import { acceptWrites } from '../features/ingest/accept/writes.ts';
import { diaryWrites } from '../features/ingest/diary/writes.ts';
import { repackOp } from '../features/ingest/jobs.ts';
import { ingestWrites } from '../features/ingest/writes.ts';
import { mailRuleWrites } from '../features/mail-rules/writes.ts';
import { indexSearch, mergeSearch } from '../features/messages/index-search.ts';
import { threadOldOp } from '../features/messages/threads/jobs.ts';
import { messageWrites } from '../features/messages/writes.ts';
import { allowlistWrites } from '../features/outbound/allowlist/writes.ts';
import { holdWrites } from '../features/outbound/hold/writes.ts';
import { rebaseWrites } from '../features/outbound/rebase/writes.ts';
import { sendingWrites } from '../features/outbound/sending/writes.ts';
import { suppressionWrites } from '../features/outbound/suppression/writes.ts';
import { outboundWrites } from '../features/outbound/writes.ts';
import { registrationWrites } from '../features/registration/writes.ts';
import { waitWrites } from '../features/waits/writes.ts';
import { setupWrites } from '../features/webhooks/setup/writes.ts';
import { deliveryWrites } from '../features/webhooks/writes.ts';
import { forgetIdempotency } from '../platform/http/writes.ts';
import { giveBackOp } from '../platform/store/give-back.ts';
import { noteJobRunOp } from '../platform/store/job-run.ts';
import type { AnyWriteOp } from '../platform/store/operation.ts';

export const writes: readonly AnyWriteOp[] = [
  ...auditWrites,
  ...accountWrites,
  ...keyWrites,
  ...sessionWrites,
  ...oidcWrites,
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
  ...suppressionWrites,
  ...rebaseWrites,
  ...doctorWrites,
  ...allowlistWrites,
  ...holdWrites,
  noteJobRunOp,
  giveBackOp,
];
