import { JOB_BATCH, type Job, repeatUntilDone } from '../../../platform/job.ts';
import { expireHeldOp } from './writes.ts';

export const holdJobs: readonly Job[] = [
  {
    name: 'outbound.expire_held',
    everyS: 60,
    erasesByAge: true,
    run: ({ store }, signal) => repeatUntilDone(signal, () => store.write(expireHeldOp, { max: JOB_BATCH })),
  },
];
