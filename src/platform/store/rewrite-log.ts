import { writeAgain } from '../files/durable.ts';

/**
 * Writes a write-ahead log again, as it is, and flushes it. After an fsync that failed, Linux takes the pages for
 * written and the next fsync says nothing of them. A commit without an fsync of its own may be among them, and after a
 * power cut nothing that follows it in the log is read. Nothing holds a lock on this file, so it may be closed here.
 */
export function rewriteLog(file: string): void {
  try {
    writeAgain(file);
  } catch (fault) {
    const message = `the write-ahead log could not be written again: ${(fault as Error).message}`;
    throw Object.assign(new Error(message, { cause: fault }), { code: 'SQLITE_IOERR_FSYNC' });
  }
}
