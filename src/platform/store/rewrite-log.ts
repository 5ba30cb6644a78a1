import { writeAgain } from '../files/durable.ts';
import type { Sqlite } from './database.ts';

/** Of the write-ahead log's file (SQLite, "WAL File Format"). */
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/**
 * Writes a write-ahead log again, as it is, and flushes it. After an fsync that failed, Linux takes the pages for
 * written and the next fsync says nothing of them. A commit without an fsync of its own may be among them, and after a
 * power cut nothing that follows it in the log is read. The frames of a commit that failed are spoiled: after a kill the
 * next start would take it for stored, although its callers were told otherwise. Nothing holds a lock on this file, so it
 * may be closed here.
 */
export function rewriteLog(database: Sqlite, file: string): void {
  const readVersion = () => database.pragma('data_version', { simple: true });
  const version = readVersion();
  const at = countValidBytes(database);
  // Keeps another program (Litestream) from writing to it meanwhile.
  database.exec('BEGIN IMMEDIATE');
  try {
    // Otherwise another program's frames may be there.
    writeAgain(file, readVersion() === version ? { at, bytes: FRAME_HEADER_BYTES } : undefined);
  } catch (fault) {
    const message = `the write-ahead log could not be written again: ${(fault as Error).message}`;
    throw Object.assign(new Error(message, { cause: fault }), { code: 'SQLITE_IOERR_FSYNC' });
  } finally {
    if (database.inTransaction) database.exec('ROLLBACK');
  }
}

/** The header, and every frame of a commit that succeeded. */
function countValidBytes(database: Sqlite): number {
  const [frames] = database.pragma('wal_checkpoint(NOOP)') as [{ log: number }];
  const pageBytes = database.pragma('page_size', { simple: true }) as number;
  return HEADER_BYTES + frames.log * (FRAME_HEADER_BYTES + pageBytes);
}
