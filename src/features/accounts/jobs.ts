import { DAY_US } from '../../platform/core/clock.ts';
import { JOB_BATCH, type Job, repeatAtHalfPace, repeatUntilDone } from '../../platform/job.ts';
import { jobOp } from '../../platform/store/operation.ts';
import { forgetChallengesOp } from './passkeys/writes.ts';
import { forgetSessionsOp } from './sessions/writes.ts';

/** How long other accounts can't have the addresses of a deleted one (docs/decisions.md, Inboxes and addresses). */
const CLAIM_BLOCK_US = 90 * DAY_US;

/**
 * Statements that each erase or release some of the rows that an account may have very many of, once its inboxes are
 * erased. If they were left to ON DELETE CASCADE, a million of them would hold up all mail for a minute.
 */
const ERASE_MANY = [
  // Until this runs, the deleted account still claims its addresses.
  `UPDATE claim SET account_no = NULL, blocked_until = (SELECT deleted_at FROM account WHERE no = account_no) + ${CLAIM_BLOCK_US}
   WHERE address IN (SELECT address FROM claim WHERE account_no = ? LIMIT ?)`,
  'DELETE FROM event WHERE no IN (SELECT no FROM event WHERE account_no = ? LIMIT ?)',
  'DELETE FROM deleted_message WHERE id IN (SELECT id FROM deleted_message WHERE account_no = ? LIMIT ?)',
  'DELETE FROM outbound_email WHERE no IN (SELECT no FROM outbound_email WHERE account_no = ? LIMIT ?)',
  'DELETE FROM thread WHERE no IN (SELECT no FROM thread WHERE account_no = ? LIMIT ?)',
  `DELETE FROM thread_ref WHERE (account_no, ref) IN
     (SELECT account_no, ref FROM thread_ref WHERE account_no = ? LIMIT ?)`,
  'DELETE FROM webhook WHERE no IN (SELECT no FROM webhook WHERE account_no = ? LIMIT ?)',
  `DELETE FROM suppression WHERE (account_no, email) IN
     (SELECT account_no, email FROM suppression WHERE account_no = ? LIMIT ?)`,
];

/**
 * Erases at most `max` rows of one deleted account whose inboxes are erased. Its keys, members and usage go with its
 * own row (ON DELETE CASCADE). Returns how many rows it erased.
 */
export const eraseDeletedAccountsOp = jobOp(
  'accounts.erase_deleted',
  (tx, { max }: { max: number }): number => {
    const account = tx
      .sql(
        `SELECT a.no
         FROM account a
         WHERE a.deleted_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.account_no = a.no)
         LIMIT 1`,
      )
      .get() as { no: number } | undefined;
    if (!account) return 0;
    let erased = 0;
    for (const statement of ERASE_MANY) {
      erased += tx.sql(statement).run(account.no, max - erased).changes;
      if (erased >= max) return erased;
    }
    tx.sql('DELETE FROM account WHERE no = ?').run(account.no);
    return erased + 1;
  },
);

export const accountJobs: readonly Job[] = [
  {
    name: 'accounts.erase_deleted',
    everyS: 60,
    run: ({ store }, signal) =>
      repeatAtHalfPace(signal, () => store.write(eraseDeletedAccountsOp, { max: JOB_BATCH })),
  },
  {
    name: 'accounts.forget_sessions',
    everyS: 3600,
    erasesByAge: true,
    run: ({ store }, signal) =>
      repeatUntilDone(signal, () => store.write(forgetSessionsOp, { max: JOB_BATCH })),
  },
  {
    name: 'accounts.forget_challenges',
    everyS: 3600,
    erasesByAge: true,
    run: ({ store }, signal) =>
      repeatUntilDone(signal, () => store.write(forgetChallengesOp, { max: JOB_BATCH })),
  },
];
