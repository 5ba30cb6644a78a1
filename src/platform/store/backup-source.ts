/** The store that a backup is made of, and the key that belongs to it. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { type BackupSource, countRows } from './backup.ts';
import { openReader } from './database.ts';
import { isReady } from './restore.ts';

/**
 * Opens the store to read it, beside a server or without one. Null when a restore is replacing store and key at this
 * moment: what was read of them may not belong together. Every file is open when it returns.
 */
export function openSource(dataDir: string, readKey: () => Uint8Array): BackupSource | null {
  const store = join(dataDir, 'postern.db');
  const look = () => ({ key: Buffer.from(readKey()), inode: lstatSync(store).ino, ready: isReady(dataDir) });
  const before = look();
  const database = openReader(store);
  try {
    database.exec('BEGIN');
    const rows = countRows(database);
    const after = look();
    const isOne = before.inode === after.inode && before.key.equals(after.key);
    if (isOne && !before.ready && !after.ready) return { database, rows, server_key: after.key };
  } catch (fault) {
    database.close();
    throw fault;
  }
  database.close();
  return null;
}
