import { join } from 'node:path';
import Database from 'better-sqlite3';
import { addon, prepareAddon } from './addon.ts';

/** Held for the life of a process that may write to the store. */
export interface FolderLock {
  release(): void;
}

/**
 * Locks the data folder for this process; null when another process has it. The kernel releases it when the process
 * dies, so no stale lock remains. Nothing else may open lock.db: closing any descriptor of a file drops the process's
 * locks on it (fcntl; sqlite.org, howtocorrupt, 2.2).
 */
export async function lockFolder(dataDir: string): Promise<FolderLock | null> {
  await prepareAddon(dataDir);
  const database = new Database(join(dataDir, 'lock.db'), {
    timeout: 0,
    nativeBinding: addon() ?? undefined,
  } as Database.Options);
  try {
    // Nothing is written there, and a journal on the disk would need space that a full one lacks.
    database.pragma('journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
  } catch (thrown) {
    database.close();
    if (/^SQLITE_(BUSY|LOCKED)/.test(String((thrown as { code?: unknown }).code))) return null;
    throw thrown;
  }
  return { release: () => database.close() };
}

export async function sqliteVersion(scratchDir: string): Promise<string> {
  await prepareAddon(scratchDir);
  const database = new Database(':memory:', { nativeBinding: addon() ?? undefined } as Database.Options);
  try {
    return (database.prepare('SELECT sqlite_version() AS version').get() as { version: string }).version;
  } finally {
    database.close();
  }
}
