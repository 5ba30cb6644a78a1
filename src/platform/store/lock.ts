import { join } from 'node:path';
import Database from 'better-sqlite3';
import { addon, prepareAddon } from './addon.ts';

/** Held for the life of a process that may write the store. */
export interface FolderLock {
  release(): void;
}

/**
 * Takes the data folder for this process, or gives null when another one has it. The kernel lets go when the
 * process dies, so no stale lock is left. Nothing else may open lock.db: closing any descriptor of a file
 * drops the process's locks on it (fcntl; sqlite.org, howtocorrupt, 2.2).
 */
export async function lockFolder(dataDir: string): Promise<FolderLock | null> {
  await prepareAddon(dataDir);
  const database = new Database(join(dataDir, 'lock.db'), {
    timeout: 0,
    nativeBinding: addon() ?? undefined,
  } as Database.Options);
  try {
    // Nothing is ever written there, and a journal on the disk would need room that a full one does not have.
    database.pragma('journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
  } catch (thrown) {
    database.close();
    if (/^SQLITE_(BUSY|LOCKED)/.test(String((thrown as { code?: unknown }).code))) return null;
    throw thrown;
  }
  return { release: () => database.close() };
}

/** The version of the SQLite that is built in. */
export async function sqliteVersion(scratchDir: string): Promise<string> {
  await prepareAddon(scratchDir);
  const database = new Database(':memory:', { nativeBinding: addon() ?? undefined } as Database.Options);
  try {
    return (database.prepare('SELECT sqlite_version() AS version').get() as { version: string }).version;
  } finally {
    database.close();
  }
}
