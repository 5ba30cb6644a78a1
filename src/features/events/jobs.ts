import { JOB_BATCH, type Job, repeatUntilDone } from '../../platform/job.ts';
import { forgetEventsOp } from './writes.ts';

export const eventJobs: readonly Job[] = [
  {
    name: 'events.forget',
    everyS: 3600,
    run: ({ store }, signal) =>
      repeatUntilDone(signal, () => store.write(forgetEventsOp, { max: JOB_BATCH })),
  },
];
