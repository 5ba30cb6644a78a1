import { JOB_BATCH, type Job, repeatUntilDone } from '../../../platform/job.ts';
import { forgetSuppressionsOp } from './writes.ts';

export const suppressionJobs: readonly Job[] = [
  {
    name: 'outbound.forget_suppressions',
    everyS: 3600,
    erasesByAge: true,
    run: ({ store }, signal) =>
      repeatUntilDone(signal, () => store.write(forgetSuppressionsOp, { max: JOB_BATCH })),
  },
];
