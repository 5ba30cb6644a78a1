import { existsSync, lstatSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { openFile, openReader } from './database.ts';

/** What a start must know about the store before it writes anything. */
export interface StoreLook {
  hasAccounts: boolean;
  /** Email address of the oldest account; null if it has none, or if there is no account. */
  oldestEmail: string | null;
}

/**
 * Inspects the store. Returns null if there is none; throws an error with a remedy if the file is not an intact store. Call it
 * under the folder's lock: if a crash has left a rollback journal, it is rolled back here, which needs a writing connection.
 */
export function lookAtStore(file: string): StoreLook | null {
  if (!existsSync(file)) {
    refuseLostStore(file, 'is missing');
    if (lstatSync(file, { throwIfNoEntry: false })) {
      throw new Error(`The store ${file} is a link to a file that does not exist. Is its disk mounted?`);
    }
    return null;
  }
  // A read from a pipe would never return.
  if (!statSync(file).isFile()) throw new Error(`The store ${file} is not a regular file.`);
  // An interrupted first start leaves no file or a complete one (makeStore in database.ts), so an empty file had content.
  if (statSync(file).size === 0) {
    refuseLostStore(file, 'is empty (0 bytes)');
    throw new Error(
      `The store ${file} is empty (0 bytes): something has removed its content. Nothing was changed. Put a backup in ` +
        'its place (postern restore FILE), or remove the empty file to start with an empty store.',
    );
  }
  try {
    // Without a journal there is nothing to roll back. Read-only, because a damaged store must stay as it is.
    const database = existsSync(`${file}-journal`) ? openFile(file) : openReader(file);
    try {
      const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck().all();
      const isOurs = tables.includes('account');
      // In a wrong data folder, another program's database may have our name.
      if (!isOurs && tables.length > 0) throw new Error(describeForeign(file));
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

/** Refuses a write-ahead log without its store: it is all that is left of the mail in it, and a new store would remove it. */
function refuseLostStore(file: string, what: string): void {
  const log = `${file}-wal`;
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  throw new Error(
    `The store ${file} ${what}, but its write-ahead log ${log} is not: the store was lost, or copied only in part. ` +
      'Nothing was changed. Copy both files again, or put a backup in place (postern restore FILE), or move the log ' +
      'away to start with an empty store.',
  );
}

function describeForeign(file: string): string {
  return (
    `${file} is a database of another program, not a Postern store. It was not changed. ` +
    'Set POSTERN_DATA_DIR to a folder of its own.'
  );
}
