import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { openFile, openReader } from './database.ts';

/** What a start must know of a store before anything is written. */
export interface StoreLook {
  has_accounts: boolean;
}

/**
 * Looks at the store, or gives null when there is none. Throws with what to do when the file is no whole store. The
 * caller holds the folder's lock: what a crash left half written in a rollback journal is rolled back here, which only
 * a connection that may write can do (one that may not refuses the store until somebody does).
 */
export function lookAtStore(file: string): StoreLook | null {
  if (!existsSync(file)) return null;
  try {
    // Without a journal nothing is to be rolled back, and a damaged store must stay as it is.
    const database = existsSync(`${file}-journal`) ? openFile(file) : openReader(file);
    try {
      const table = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'account'`).get();
      const account = table && database.prepare('SELECT 1 FROM account LIMIT 1').get();
      return { has_accounts: account !== undefined };
    } finally {
      database.close();
    }
  } catch (fault) {
    if (!(fault instanceof Database.SqliteError)) throw fault;
    const is_damaged = /^SQLITE_(NOTADB|CORRUPT)/.test(fault.code);
    throw new Error(
      is_damaged
        ? `The store ${file} is damaged (${fault.message}). It was left as it is. Put a backup in its place, or ` +
            'move it away, with its -wal and -shm files, to begin with an empty store.'
        : `The store ${file} can't be read: ${fault.message} (${fault.code}).`,
    );
  }
}
