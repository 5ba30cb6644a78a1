import { ReleaseError, run } from './run.ts';

export interface Commit {
  id: string;
  /** Time of the commit, in seconds; every file in a release has it (SOURCE_DATE_EPOCH). */
  epoch: number;
}

/** The commit that is checked out. Refuses changed and unknown files: nobody could reproduce that release. */
export function readCommit(): Commit {
  const changed = run(['git', 'status', '--porcelain']).trimEnd();
  if (changed) {
    throw new ReleaseError(
      `A release is made from a clean checkout. Commit or remove these first:\n${changed}`,
    );
  }
  const [id, epoch] = run(['git', 'log', '-1', '--format=%H %ct']).trim().split(' ');
  return { id: id!, epoch: Number(epoch) };
}
