import { existsSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { openFile, openReader } from './database.ts';

/** What the start must know about a store before writing anything. */
export interface StoreLook {
  hasAccounts: boolean;
}

/**
 * Inspects the store; null when there is none. Throws an error with a remedy when the file is not an intact store.
 * The caller holds the folder's lock: a transaction that a crash interrupted is rolled back here. That takes a
 * writing connection; until then, a read-only one refuses the store.
 */
export function lookAtStore(file: string): StoreLook | null {
  if (!existsSync(file)) return null;
  // Reading a pipe would never end.
  if (!statSync(file).isFile()) throw new Error(`The store ${file} is not a regular file.`);
  try {
    // Without a journal there is nothing to roll back, and a damaged store must remain unchanged.
    const database = existsSync(`${file}-journal`) ? openFile(file) : openReader(file);
    try {
      const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck().all();
      const isOurs = tables.includes('account');
      // A wrong data folder may have another program's database under our name.
      if (!isOurs && tables.length > 0) throw new Error(tellForeign(file));
      const account = isOurs ? database.prepare('SELECT 1 FROM account LIMIT 1').get() : undefined;
      return { hasAccounts: account !== undefined };
    } finally {
      database.close();
    }
  } catch (fault) {
    if (!(fault instanceof Database.SqliteError)) throw fault;
    const isDamaged = /^SQLITE_(NOTADB|CORRUPT)/.test(fault.code);
    throw new Error(
      isDamaged
        ? `The store ${file} is damaged (${fault.message}). It was not changed. Put a backup in its place, or ` +
            'move it away, with its -wal and -shm files, to start with an empty store.'
        : `The store ${file} can't be read: ${fault.message} (${fault.code}).`,
    );
  }
}

function tellForeign(file: string): string {
  return (
    `${file} is a database of another program, not a Postern store. It was not changed. ` +
    'Set POSTERN_DATA_DIR to a folder of its own.'
  );
}
