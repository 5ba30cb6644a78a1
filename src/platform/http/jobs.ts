import { JOB_BATCH, type Job, repeatUntilDone } from '../job.ts';
import { forgetIdempotency } from './writes.ts';

export const httpJobs: readonly Job[] = [
  {
    name: 'http.forget_idempotency',
    everyS: 600,
    erasesByAge: true,
    run: ({ store }, signal) =>
      repeatUntilDone(signal, () => store.write(forgetIdempotency, { max: JOB_BATCH })),
  },
];
