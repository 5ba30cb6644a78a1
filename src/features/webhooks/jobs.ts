import { JOB_BATCH, type Job, repeatUntilDone } from '../../platform/job.ts';
import { forgetDeliveriesOp } from './writes.ts';

export const webhookJobs: readonly Job[] = [
  {
    name: 'webhooks.forget_deliveries',
    everyS: 3600,
    run: ({ store }, signal) =>
      repeatUntilDone(signal, () => store.write(forgetDeliveriesOp, { max: JOB_BATCH })),
  },
];
