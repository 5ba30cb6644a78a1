import { JOB_BATCH, type Job, untilNone } from '../job.ts';
import { freeClaimsOp } from './writes.ts';

export const inbox_jobs: readonly Job[] = [
  {
    name: 'inboxes.free_claims',
    every_s: 3600,
    run: ({ store }, signal) => untilNone(signal, () => store.write(freeClaimsOp, { max: JOB_BATCH })),
  },
];
