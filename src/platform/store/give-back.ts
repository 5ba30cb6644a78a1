import { jobOp, STEP_MS_MAX } from './operation.ts';

/**
 * Returns empty pages at the file's end to the disk for a few milliseconds; returns how many. The next step
 * continues: a VACUUM would block everyone while it copies the whole store.
 */
export const giveBackOp = jobOp('store.give_back', (tx, { pagesMax }: { pagesMax: number }): number => {
  const beganMs = performance.now();
  // better-sqlite3 executes one page per run, whatever number the pragma has.
  const step = tx.sql('PRAGMA incremental_vacuum(1)');
  let pages = 0;
  while (pages < pagesMax && performance.now() - beganMs < STEP_MS_MAX) {
    step.run();
    pages += 1;
  }
  return pages;
});
