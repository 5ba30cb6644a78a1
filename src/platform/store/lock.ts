import { join } from 'node:path';
import { readCode, readReason } from '../core/thrown.ts';
import { prepareAddon } from './addon.ts';
import { connect, type Sqlite } from './database.ts';
import { LOCK_FILE } from './file-names.ts';

/** The lock on a data folder. A process that may write to the store holds it until it ends. */
export interface FolderLock {
  release(): void;
}

/**
 * Locks the data folder for this process. Returns null if another process has the lock. The kernel releases it when the process
 * dies, so no stale lock remains. Nothing else in this process may open lock.db: closing any descriptor of a file drops all of
 * the process's locks on it (fcntl(2); sqlite.org/howtocorrupt.html, 2.2).
 */
export async function lockFolder(dataDir: string): Promise<FolderLock | null> {
  await prepareAddon(dataDir);
  const file = join(dataDir, LOCK_FILE);
  let database: Sqlite | undefined;
  try {
    database = connect(file, { timeout: 0 });
    // Nothing is ever written to lock.db, and a journal file would need space on a disk that may be full.
    database.pragma('journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
  } catch (thrown) {
    database?.close();
    const code = readCode(thrown);
    if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return null;
    throw new Error(
      `${file} can't be locked: ${readReason(thrown)} (${code}). Does the disk fail (see dmesg)?`,
      {
        cause: thrown,
      },
    );
  }
  return { release: () => database?.close() };
}

export async function readSqliteVersion(scratchDir: string): Promise<string> {
  await prepareAddon(scratchDir);
  const database = connect(':memory:');
  try {
    return (database.prepare('SELECT sqlite_version() AS version').get() as { version: string }).version;
  } finally {
    database.close();
  }
}
