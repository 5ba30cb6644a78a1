import { jobOp, STEP_MS_MAX } from './operation.ts';

/**
 * Gives empty pages at the file's end back to the disk, for a few milliseconds; gives how many. What is left is for
 * the next step: a VACUUM would hold up everybody for as long as the whole store takes to copy.
 */
export const giveBackOp = jobOp('store.give_back', (tx, { pagesMax }: { pagesMax: number }): number => {
  const beganMs = performance.now();
  // better-sqlite3 runs the pragma for one page at a time, whatever number it is given.
  const step = tx.sql('PRAGMA incremental_vacuum(1)');
  let pages = 0;
  while (pages < pagesMax && performance.now() - beganMs < STEP_MS_MAX) {
    step.run();
    pages += 1;
  }
  return pages;
});
