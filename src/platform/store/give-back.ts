import { jobOp, STEP_MS_MAX } from './operation.ts';

/**
 * Gives empty pages back to the disk for a few milliseconds, and returns their number. The next step continues. A VACUUM instead
 * would block all writes while it copies the whole store.
 */
export const giveBackOp = jobOp('store.give_back', (tx, { pagesMax }: { pagesMax: number }): number => {
  const beganMs = performance.now();
  // Whatever the pragma's number, one run frees one page: better-sqlite3 steps the statement once.
  const step = tx.sql('PRAGMA incremental_vacuum(1)');
  let pages = 0;
  while (pages < pagesMax && performance.now() - beganMs < STEP_MS_MAX) {
    step.run();
    pages += 1;
  }
  return pages;
});
