import { JOB_BATCH, type Job, repeatUntilDone } from '../../platform/job.ts';
import { freeClaimsOp } from './writes.ts';

export const inboxJobs: readonly Job[] = [
  {
    name: 'inboxes.free_claims',
    everyS: 3600,
    erasesByAge: true,
    run: ({ store }, signal) => repeatUntilDone(signal, () => store.write(freeClaimsOp, { max: JOB_BATCH })),
  },
];
