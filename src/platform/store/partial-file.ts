import { openEmpty } from '../files/durable.ts';
import { openCLibrary } from '../system/c-library.ts';

/** <sys/file.h> on Linux. */
const LOCK_SH = 1;
const LOCK_EX = 2;
const LOCK_NB = 4;

/**
 * Creates an empty file, or empties one that a killed process left under this name, and locks it: two processes writing
 * the same file would each verify what the other has written. The kernel releases the lock when the process ends.
 * Returns the descriptor; null when another process has the lock.
 */
export function openPartial(path: string): number | null {
  return openEmpty(path, findLock());
}

/** flock(2). Not fcntl's locks, which SQLite uses: a process loses those as soon as it closes the file once. */
function findLock(): (descriptor: number, isShared: boolean) => boolean {
  try {
    const { flock } = openCLibrary({ flock: { args: ['i32', 'i32'], returns: 'i32' } });
    return (descriptor, isShared) => flock(descriptor, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) === 0;
  } catch {
    // Not Linux.
    return () => true;
  }
}
