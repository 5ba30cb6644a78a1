import { JOB_BATCH, type Job, repeatUntilDone } from '../../../platform/job.ts';
import { forgetRefusalsOp } from './writes.ts';

export const diaryJobs: readonly Job[] = [
  {
    name: 'diary.forget',
    everyS: 3600,
    erasesByAge: true,
    run: ({ store }, signal) =>
      repeatUntilDone(signal, () => store.write(forgetRefusalsOp, { max: JOB_BATCH })),
  },
];
