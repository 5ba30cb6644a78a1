import { lstatSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { flushFile, move } from '../files/durable.ts';
import { addon } from './addon.ts';

export type Sqlite = Database.Database;
export type Statement = Database.Statement;

/** Prepares each text once and keeps it: a statement costs more to compile than to run. */
export class Statements {
  private readonly kept = new Map<string, Statement>();

  constructor(readonly database: Sqlite) {}

  sql(text: string): Statement {
    let statement = this.kept.get(text);
    if (!statement) {
      statement = this.database.prepare(text);
      this.kept.set(text, statement);
    }
    return statement;
  }
}

const WRITER_CACHE_KIB = 8 * 1024;
/** 4 MiB of the write-ahead log: the writer thread folds so much of it into the file when nobody waits. */
export const CHECKPOINT_PAGES = 1000;
/** When it never finds the time, a commit does it. */
const CHECKPOINT_PAGES_MAX = 4 * CHECKPOINT_PAGES;
const READER_CACHE_KIB = 4 * 1024;

/** A file that no server has open: a backup, or a store that is replaced. */
export function openFile(file: string): Sqlite {
  const database = new Database(file, {
    fileMustExist: true,
    nativeBinding: addon() ?? undefined,
  } as Database.Options);
  database.pragma('synchronous = FULL');
  database.pragma('temp_store = MEMORY');
  database.pragma(`cache_size = -${WRITER_CACHE_KIB}`);
  return database;
}

/**
 * The one connection that writes. Makes the file when there is none. `ownCheckpoints` false: whoever replicates the
 * write-ahead log (Litestream) also folds it into the file; else a frame could be gone before it was copied.
 */
export function openWriter(file: string, ownCheckpoints = true): Sqlite {
  const found = lstatSync(file, { throwIfNoEntry: false });
  // A crash in the first start leaves an empty file. A dangling link is left alone: its disk may not be mounted yet.
  if (!found || (found.isFile() && found.size === 0)) makeStore(file);
  const database = new Database(file, {
    fileMustExist: true,
    nativeBinding: addon() ?? undefined,
  } as Database.Options);
  // A plain copy of a store that somebody put there may be in another mode.
  database.pragma('journal_mode = WAL');
  // This build's default in WAL is NORMAL, which may lose an acknowledged mail when the power fails.
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  database.pragma('journal_size_limit = 67108864');
  database.pragma(`wal_autocheckpoint = ${ownCheckpoints ? CHECKPOINT_PAGES_MAX : 0}`);
  database.pragma('temp_store = MEMORY');
  database.pragma(`cache_size = -${WRITER_CACHE_KIB}`);
  return database;
}

/**
 * Creates an empty store under another name, and renames it once it is in WAL mode and on the disk. The switch to that
 * mode uses a rollback journal, and a read-only connection can't open a store that a crash left with one.
 */
function makeStore(file: string): void {
  const fresh = `${file}.new`;
  // A log whose store is gone would be read into the new one.
  rmSync(fresh, { force: true });
  for (const end of ['-journal', '-wal', '-shm']) {
    for (const one of [fresh, file]) rmSync(`${one}${end}`, { force: true });
  }
  const database = new Database(fresh, { nativeBinding: addon() ?? undefined } as Database.Options);
  try {
    // Before the first table: it can't be turned on later without rewriting the file.
    database.pragma('auto_vacuum = INCREMENTAL');
    database.pragma('journal_mode = WAL');
  } finally {
    database.close();
  }
  flushFile(fresh);
  move(fresh, file);
}

/** A connection that only reads; it sees what was committed before each statement. */
export function openReader(file: string): Sqlite {
  const database = new Database(file, {
    readonly: true,
    fileMustExist: true,
    nativeBinding: addon() ?? undefined,
  } as Database.Options);
  // A reader never syncs; set all the same, so that every connection says the same.
  database.pragma('synchronous = FULL');
  database.pragma('query_only = ON');
  database.pragma('temp_store = MEMORY');
  database.pragma(`cache_size = -${READER_CACHE_KIB}`);
  return database;
}
