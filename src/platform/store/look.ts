import { existsSync, lstatSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { openFile, openReader } from './database.ts';

/** What the start must know about a store before writing anything. */
export interface StoreLook {
  hasAccounts: boolean;
  /** The address of the oldest account; null when it has none, or there is no account. */
  oldestEmail: string | null;
}

/**
 * Inspects the store; null when there is none. Throws an error with a remedy when the file is not an intact store.
 * The caller holds the folder's lock: a transaction that a crash interrupted is rolled back here. That takes a
 * writing connection; until then, a read-only one refuses the store.
 */
export function lookAtStore(file: string): StoreLook | null {
  if (!existsSync(file)) {
    refuseLostStore(file, 'is missing');
    if (lstatSync(file, { throwIfNoEntry: false })) {
      throw new Error(`The store ${file} is a link to a file that does not exist. Is its disk mounted?`);
    }
    return null;
  }
  // Reading a pipe would never end.
  if (!statSync(file).isFile()) throw new Error(`The store ${file} is not a regular file.`);
  // A first start that was interrupted leaves no file or a whole one (database.ts, makeStore). An empty one had content.
  if (statSync(file).size === 0) {
    refuseLostStore(file, 'is empty (0 bytes)');
    throw new Error(
      `The store ${file} is empty (0 bytes): something has removed its content. Nothing was changed. Put a backup in ` +
        'its place (postern restore FILE), or remove the empty file to start with an empty store.',
    );
  }
  try {
    // Without a journal there is nothing to roll back, and a damaged store must remain unchanged.
    const database = existsSync(`${file}-journal`) ? openFile(file) : openReader(file);
    try {
      const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck().all();
      const isOurs = tables.includes('account');
      // A wrong data folder may have another program's database under our name.
      if (!isOurs && tables.length > 0) throw new Error(tellForeign(file));
      const oldest = (
        isOurs ? database.prepare('SELECT email FROM account ORDER BY no LIMIT 1').get() : undefined
      ) as { email: string | null } | undefined;
      return { hasAccounts: oldest !== undefined, oldestEmail: oldest?.email ?? null };
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

/** Without its store, a write-ahead log is all that is left of the mail in it, and opening a new store would remove it. */
function refuseLostStore(file: string, what: string): void {
  const log = `${file}-wal`;
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  throw new Error(
    `The store ${file} ${what}, but its write-ahead log ${log} is not: the store was lost, or copied only in part. ` +
      'Nothing was changed. Copy both files again, or put a backup in place (postern restore FILE), or move the log ' +
      'away to start with an empty store.',
  );
}

function tellForeign(file: string): string {
  return (
    `${file} is a database of another program, not a Postern store. It was not changed. ` +
    'Set POSTERN_DATA_DIR to a folder of its own.'
  );
}
