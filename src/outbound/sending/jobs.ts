import { JOB_BATCH, type Job, untilNone } from '../../job.ts';
import { forgetSuppressionsOp } from './writes.ts';

export const sending_jobs: readonly Job[] = [
  {
    name: 'outbound.forget_suppressions',
    every_s: 3600,
    run: ({ store }, signal) =>
      untilNone(signal, () => store.write(forgetSuppressionsOp, { max: JOB_BATCH })),
  },
];
