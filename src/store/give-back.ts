import { jobOp, STEP_MS_MAX } from './operation.ts';

/**
 * Gives empty pages at the file's end back to the disk, for a few milliseconds; gives how many. What is left is for
 * the next step: a VACUUM would hold up everybody for as long as the whole store takes to copy.
 */
export const giveBackOp = jobOp('store.give_back', (tx, { pages_max }: { pages_max: number }): number => {
  const began_ms = performance.now();
  // better-sqlite3 runs the pragma for one page at a time, whatever number it is given.
  const step = tx.sql('PRAGMA incremental_vacuum(1)');
  let pages = 0;
  while (pages < pages_max && performance.now() - began_ms < STEP_MS_MAX) {
    step.run();
    pages += 1;
  }
  return pages;
});
