import { ReleaseError, run } from './run.ts';

export interface Commit {
  id: string;
  /** The time of the commit in seconds, which every file in a release has (SOURCE_DATE_EPOCH). */
  epoch: number;
}

/** Returns the commit that is checked out. Throws if there are changed or unknown files: nobody could reproduce the release. */
export function readCommit(): Commit {
  const changed = run(['git', 'status', '--porcelain']).trimEnd();
  if (changed) {
    throw new ReleaseError(
      `A release needs a clean checkout. Commit or remove these files first:\n${changed}`,
    );
  }
  const [id, epoch] = run(['git', 'log', '-1', '--format=%H %ct']).trim().split(' ');
  return { id: id!, epoch: Number(epoch) };
}
