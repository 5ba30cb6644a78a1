/** The store that a backup copies, and its key. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { type BackupSource, countRows } from './backup.ts';
import { openReader } from './database.ts';
import { STORE_FILE } from './file-names.ts';
import { isBeingReplaced } from './restore.ts';

/**
 * Opens the store for a backup, with or without a running server. Returns null while a restore replaces store and key, because
 * the two may not belong together then. Nothing else is opened later: the caller may give up the right to read the folder.
 */
export function openBackupSource(dataDir: string, readKey: () => Uint8Array): BackupSource | null {
  const store = join(dataDir, STORE_FILE);
  const look = () => ({
    key: Buffer.from(readKey()),
    inode: lstatSync(store).ino,
    isBeingReplaced: isBeingReplaced(dataDir),
  });
  const before = look();
  const database = openReader(store);
  try {
    database.exec('BEGIN');
    const rows = countRows(database);
    const after = look();
    const isOne = before.inode === after.inode && before.key.equals(after.key);
    if (isOne && !before.isBeingReplaced && !after.isBeingReplaced)
      return { database, rows, server_key: after.key };
  } catch (fault) {
    database.close();
    throw fault;
  }
  database.close();
  return null;
}
