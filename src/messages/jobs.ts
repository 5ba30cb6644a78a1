import { DAY_US } from '../core/clock.ts';
import type { Floor } from '../floor.ts';
import { JOB_BATCH, type Job, untilNone } from '../job.ts';
import { plan_names } from '../rules/plans.ts';
import { eraseDeletedInboxesOp, eraseOldOp, forgetTombstonesOp } from './writes.ts';

/** Inboxes looked at in one read. */
const INBOXES_AT_ONCE = 200;

export const message_jobs: readonly Job[] = [
  {
    name: 'messages.erase_deleted_inboxes',
    every_s: 5,
    run: ({ store }, signal) =>
      untilNone(signal, () => store.write(eraseDeletedInboxesOp, { max: JOB_BATCH })),
  },
  { name: 'messages.retention', every_s: 3600, run: keepRetention },
  {
    name: 'messages.forget_tombstones',
    every_s: 3600,
    run: ({ store }, signal) => untilNone(signal, () => store.write(forgetTombstonesOp, { max: JOB_BATCH })),
  },
];

/** Erases what is older than its account's plan keeps. */
async function keepRetention(floor: Floor, signal: AbortSignal): Promise<void> {
  for (const plan of plan_names) {
    const days = floor.plans[plan].retention_days;
    if (days === 0) continue;
    const before = floor.clock.now_us() - days * DAY_US;
    let after_no = 0;
    while (!signal.aborted) {
      const inboxes = inboxesWithOlder(floor, plan, before, after_no);
      for (const { no, has_older } of inboxes) {
        if (!has_older) continue;
        await untilNone(signal, () =>
          floor.store.write(eraseOldOp, { inbox_no: no, before, max: JOB_BATCH }),
        );
      }
      const last = inboxes.at(-1);
      if (!last) break;
      after_no = last.no;
    }
  }
}

interface InboxWithOlder {
  no: number;
  has_older: number;
}

/** The next live inboxes of a plan, and whether each holds a message from before a time. */
function inboxesWithOlder(
  { store }: Floor,
  plan: string,
  before: number,
  after_no: number,
): InboxWithOlder[] {
  return store
    .sql(
      `SELECT i.no, EXISTS (SELECT 1 FROM message m WHERE m.inbox_no = i.no AND m.received_at < ?) AS has_older
       FROM inbox i CROSS JOIN account a ON a.no = i.account_no
       WHERE i.no > ? AND i.deleted_at IS NULL AND a.plan = ?
       ORDER BY i.no
       LIMIT ?`,
    )
    .all(before, after_no, plan, INBOXES_AT_ONCE) as InboxWithOlder[];
}
