import { type Job, repeatUntilDone } from '../../platform/job.ts';
import { collectIdleOp } from './writes.ts';

/** Accounts per transaction. Few, because each account's inboxes are changed with it. */
const ACCOUNTS_AT_ONCE = 50;

export const registrationJobs: readonly Job[] = [
  {
    name: 'registration.collect_idle',
    everyS: 3600,
    erasesByAge: true,
    run: ({ store }, signal) =>
      repeatUntilDone(signal, () => store.write(collectIdleOp, { max: ACCOUNTS_AT_ONCE })),
  },
];
