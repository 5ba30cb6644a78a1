import { JOB_BATCH, type Job, untilNone } from '../../platform/job.ts';
import { forgetDeliveriesOp } from './writes.ts';

export const webhookJobs: readonly Job[] = [
  {
    name: 'webhooks.forget_deliveries',
    everyS: 3600,
    run: ({ store }, signal) => untilNone(signal, () => store.write(forgetDeliveriesOp, { max: JOB_BATCH })),
  },
];
