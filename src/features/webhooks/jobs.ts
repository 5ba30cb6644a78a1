import { JOB_BATCH, type Job, repeatUntilDone } from '../../platform/job.ts';
import { eraseRemovedWebhooksOp } from './setup/writes.ts';

export const webhookJobs: readonly Job[] = [
  {
    name: 'webhooks.erase_removed',
    everyS: 3600,
    run: ({ store }, signal) =>
      repeatUntilDone(signal, () => store.write(eraseRemovedWebhooksOp, { max: JOB_BATCH })),
  },
];
