import { readCode } from '../core/thrown.ts';
import { writeAgain } from '../files/durable.ts';
import { openReader, type Sqlite } from './database.ts';

/** Sizes in the file of a write-ahead log (sqlite.org/fileformat2.html, "WAL File Format"). */
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/**
 * Writes the write-ahead log over itself, byte for byte, and flushes it. Call it after an fsync of the log has failed, or may
 * have failed in a process that was killed.
 *
 * When an fsync fails, Linux marks the pages as clean although they are not on the disk, and the next fsync reports success
 * without writing them. The frames of earlier commits, which had no fsync of their own, may be among these pages. After a
 * power cut SQLite reads the log up to the first frame that is damaged, so every later commit would be lost as well, even
 * one that was flushed. Writing the bytes again makes the pages dirty, and this fsync covers all of them.
 *
 * The frames of the commit that failed are complete in the file, but the index in shared memory does not have them. The
 * next start after a kill would treat that commit as stored, although its callers got an error. So the header of its
 * first frame becomes zeros, and SQLite stops reading there.
 *
 * Closing a file drops the process's locks on it, but SQLite has its locks on the store and the shared memory, not on the log.
 */
export function rewriteLog(database: Sqlite, file: string): void {
  const readVersion = () => database.pragma('data_version', { simple: true });
  try {
    const version = readVersion();
    const at = countValidBytes(database);
    // Keeps other programs (Litestream) from appending to the log while it is written.
    database.exec('BEGIN IMMEDIATE');
    // If another program has committed since the frames were counted, its frames may be at this place.
    writeAgain(file, readVersion() === version ? { at, bytes: FRAME_HEADER_BYTES } : undefined);
  } catch (fault) {
    // SQLite reports a read that failed as SQLITE_CORRUPT.
    if (/^SQLITE_(?!IOERR|CORRUPT)/.test(readCode(fault))) throw fault;
    const message = `the write-ahead log could not be written again: ${(fault as Error).message}`;
    throw Object.assign(new Error(message, { cause: fault }), { code: 'SQLITE_IOERR_FSYNC' });
  } finally {
    if (database.inTransaction) database.exec('ROLLBACK');
  }
}

/** Size of the log's header and of the frames of every commit that succeeded. */
function countValidBytes(database: Sqlite): number {
  const [frames] = database.pragma('wal_checkpoint(NOOP)') as [{ log: number }];
  const pageBytes = database.pragma('page_size', { simple: true }) as number;
  return HEADER_BYTES + frames.log * (FRAME_HEADER_BYTES + pageBytes);
}

/**
 * Closes the writing connection and leaves its log as it is. SQLite copies the log into the store when the last connection
 * closes. So a read-only one closes last: it can't do that.
 */
export function closeWithoutCheckpoint(database: Sqlite, file: string): void {
  let reader: Sqlite | undefined;
  try {
    reader = openReader(file);
    // It has a lock on the store from its first read on.
    reader.prepare('SELECT 1 FROM sqlite_schema').get();
  } catch {
    // The files are not where they were, so no start would find the log: SQLite may copy it.
  }
  database.close();
  reader?.close();
}
