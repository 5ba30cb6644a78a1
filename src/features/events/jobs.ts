import { JOB_BATCH, type Job, repeatUntilDone } from '../../platform/job.ts';
import { forgetEventsOp, forgetReadersOp } from './writes.ts';

export const eventJobs: readonly Job[] = [
  {
    name: 'events.forget',
    everyS: 3600,
    erasesByAge: true,
    run: ({ store }, signal) =>
      repeatUntilDone(signal, () => store.write(forgetEventsOp, { max: JOB_BATCH })),
  },
  {
    name: 'events.forget_readers',
    everyS: 86_400,
    erasesByAge: true,
    run: ({ store }, signal) => repeatUntilDone(signal, () => store.write(forgetReadersOp, null)),
  },
];
