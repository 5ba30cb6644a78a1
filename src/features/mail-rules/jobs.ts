import { type Job, repeatAtHalfPace, writeWithRoom } from '../../platform/job.ts';
import { mergeSearch } from '../messages/index-search.ts';
import { deleteExpiredOp } from './writes.ts';

/** Messages per step; fewer when they take long (features/messages/writes.ts). */
const STEP_ROWS = 100;

export const mailRuleJobs: readonly Job[] = [
  {
    name: 'mail_rules.delete_expired',
    everyS: 300,
    erasesByAge: true,
    run: (services, signal) =>
      repeatAtHalfPace(signal, async () => {
        const erased = await services.store.write(deleteExpiredOp, { max: STEP_ROWS });
        if (erased === 0) return 0;
        services.meters.count('messages_erased_total', { reason: 'rule' }, erased);
        // After each step: one merge at the end would be as large as everything that was erased.
        await writeWithRoom(services, mergeSearch, null);
        return erased;
      }),
  },
];
