import { JOB_BATCH, type Job, repeatUntilDone } from '../../platform/job.ts';
import { forgetAuditOp } from './writes.ts';

export const auditJobs: readonly Job[] = [
  {
    name: 'audit.forget',
    everyS: 3600,
    erasesByAge: true,
    async run({ store, settings }, signal) {
      const days = settings.audit_days;
      if (days === 0) return;
      await repeatUntilDone(signal, () => store.write(forgetAuditOp, { days, max: JOB_BATCH }));
    },
  },
];
