import { openEmpty } from '../files/durable.ts';
import { openCLibrary } from '../system/c-library.ts';

/** <sys/file.h> on Linux. */
const LOCK_SH = 1;
const LOCK_EX = 2;
const LOCK_NB = 4;

/**
 * Creates an empty file, or empties the one that a killed process left under this name, and locks it. Without the lock, two
 * processes that write the same file would each verify what the other one wrote. The kernel releases the lock when the process
 * ends. Returns the descriptor; null if another process has the lock.
 */
export function openPartial(path: string): number | null {
  return openEmpty(path, findLock());
}

/** Uses flock(2), not the locks of fcntl(2): SQLite uses those, and a process loses them with any close of the file. */
function findLock(): (descriptor: number, isShared: boolean) => boolean {
  try {
    const { flock } = openCLibrary({ flock: { args: ['i32', 'i32'], returns: 'i32' } });
    return (descriptor, isShared) => flock(descriptor, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) === 0;
  } catch {
    // Not Linux.
    return () => true;
  }
}
