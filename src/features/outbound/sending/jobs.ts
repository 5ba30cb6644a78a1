import { JOB_BATCH, type Job, untilNone } from '../../../platform/job.ts';
import { forgetSuppressionsOp } from './writes.ts';

export const sendingJobs: readonly Job[] = [
  {
    name: 'outbound.forget_suppressions',
    everyS: 3600,
    run: ({ store }, signal) =>
      untilNone(signal, () => store.write(forgetSuppressionsOp, { max: JOB_BATCH })),
  },
];
