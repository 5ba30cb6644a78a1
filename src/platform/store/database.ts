import { lstatSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { flushFile, move } from '../files/durable.ts';
import { findAddon } from './addon.ts';

export type Sqlite = Database.Database;
export type Statement = Database.Statement;

/** Prepares each statement once and keeps it, because compiling one costs more than running it. */
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
/** 4 MiB of write-ahead log: from this size on, the writer thread checkpoints when it is idle. */
export const CHECKPOINT_PAGES = 1000;
/** From this size on, a commit checkpoints, because the writer thread was never idle. */
export const CHECKPOINT_PAGES_MAX = 4 * CHECKPOINT_PAGES;
/** After a checkpoint, a log that a long read has let grow is cut to this size. */
const LOG_BYTES_KEPT = 64 * 1024 ** 2;
const READER_CACHE_KIB = 4 * 1024;

/** Opens a connection with the library that `prepareAddon` has loaded. */
export function connect(file: string, options: Database.Options = {}): Sqlite {
  // better-sqlite3 also accepts the loaded module, but its types know only a path.
  return new Database(file, { ...options, nativeBinding: findAddon() } as Database.Options);
}

/** Opens a file that no server has open: a backup, or a store that is being replaced. */
export function openFile(file: string): Sqlite {
  const database = connect(file, { fileMustExist: true });
  database.pragma('synchronous = FULL');
  database.pragma('temp_store = MEMORY');
  database.pragma(`cache_size = -${WRITER_CACHE_KIB}`);
  return database;
}

export interface WriterOptions {
  /**
   * False if another program replicates the write-ahead log (Litestream). It must be the only one that checkpoints, or a
   * frame could be overwritten before it is replicated.
   */
  ownCheckpoints: boolean;
  /** Whether the folder is removed at the end, so that nothing is flushed. */
  isThrownAway: boolean;
}

const ofServer: WriterOptions = { ownCheckpoints: true, isThrownAway: false };

/** Opens the only writing connection of a server. Creates the store if there is none. */
export function openWriter(file: string, { ownCheckpoints, isThrownAway } = ofServer): Sqlite {
  // A dangling link is an error, not an invitation to create a store: the disk of its target may not be mounted yet.
  if (!lstatSync(file, { throwIfNoEntry: false })) makeStore(file);
  const database = connect(file, { fileMustExist: true });
  // A store that was copied by hand may be in another mode.
  database.pragma('journal_mode = WAL');
  // In WAL mode this build defaults to NORMAL, which may lose an acknowledged mail in a power cut.
  database.pragma(`synchronous = ${isThrownAway ? 'OFF' : 'FULL'}`);
  database.pragma('foreign_keys = ON');
  database.pragma(`journal_size_limit = ${LOG_BYTES_KEPT}`);
  database.pragma(`wal_autocheckpoint = ${ownCheckpoints ? CHECKPOINT_PAGES_MAX : 0}`);
  database.pragma('temp_store = MEMORY');
  database.pragma(`cache_size = -${WRITER_CACHE_KIB}`);
  return database;
}

/**
 * Creates an empty store under another name, and renames it once it is in WAL mode and on the disk. Switching to WAL uses a
 * rollback journal. If a crash left one beside the store, read-only connections could not open it.
 */
function makeStore(file: string): void {
  const fresh = `${file}.new`;
  // The log of a deleted store would be read into the new one.
  rmSync(fresh, { force: true });
  for (const end of ['-journal', '-wal', '-shm']) {
    for (const one of [fresh, file]) rmSync(`${one}${end}`, { force: true });
  }
  const database = connect(fresh);
  try {
    // Must precede the first table: changing it later rewrites the file.
    database.pragma('auto_vacuum = INCREMENTAL');
    database.pragma('journal_mode = WAL');
  } finally {
    database.close();
  }
  flushFile(fresh);
  move(fresh, file);
}

/** Opens a read-only connection. Outside a transaction, each statement sees everything that was committed before it. */
export function openReader(file: string): Sqlite {
  const database = connect(file, { readonly: true, fileMustExist: true });
  // Without effect on a reader. Set so that all connections report the same.
  database.pragma('synchronous = FULL');
  database.pragma('query_only = ON');
  database.pragma('temp_store = MEMORY');
  database.pragma(`cache_size = -${READER_CACHE_KIB}`);
  return database;
}
