import { JOB_BATCH, type Job, repeatUntilDone } from '../../platform/job.ts';
import { jobOp } from '../../platform/store/operation.ts';
import { forgetChallengesOp } from './passkeys/writes.ts';
import { forgetSessionsOp } from './sessions/writes.ts';

/** Accounts per transaction. Each takes its keys, people, usage and tombstones along (ON DELETE CASCADE). */
const ACCOUNTS_AT_ONCE = 20;

/** Erases deleted accounts, once the job of messages/ has erased their inboxes. Returns how many. */
export const eraseDeletedAccountsOp = jobOp(
  'accounts.erase_deleted',
  (tx, { max }: { max: number }): number =>
    tx
      .sql(
        `DELETE FROM account WHERE no IN (
           SELECT a.no
           FROM account a
           WHERE a.deleted_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.account_no = a.no)
           LIMIT ?)`,
      )
      .run(max).changes,
);

export const accountJobs: readonly Job[] = [
  {
    name: 'accounts.erase_deleted',
    everyS: 60,
    run: ({ store }, signal) =>
      repeatUntilDone(signal, () => store.write(eraseDeletedAccountsOp, { max: ACCOUNTS_AT_ONCE })),
  },
  {
    name: 'accounts.forget_sessions',
    everyS: 3600,
    run: ({ store }, signal) =>
      repeatUntilDone(signal, () => store.write(forgetSessionsOp, { max: JOB_BATCH })),
  },
  {
    name: 'accounts.forget_challenges',
    everyS: 3600,
    run: ({ store }, signal) =>
      repeatUntilDone(signal, () => store.write(forgetChallengesOp, { max: JOB_BATCH })),
  },
];
