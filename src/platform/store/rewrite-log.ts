import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';

const PIECE_BYTES = 1024 * 1024;

/**
 * Writes a write-ahead log again, as it is, and flushes it. After an fsync that failed, Linux takes the pages for
 * written and the next fsync says nothing of them. A commit without an fsync of its own may be among them, and after a
 * power cut nothing that follows it in the log is read. Nothing holds a lock on this file, so it may be closed here.
 */
export function rewriteLog(file: string): void {
  try {
    const log = openSync(file, 'r+');
    try {
      writeAgain(log);
      fsyncSync(log);
    } finally {
      closeSync(log);
    }
  } catch (fault) {
    const message = `the write-ahead log could not be written again: ${(fault as Error).message}`;
    throw Object.assign(new Error(message, { cause: fault }), { code: 'SQLITE_IOERR_FSYNC' });
  }
}

function writeAgain(log: number): void {
  const piece = Buffer.alloc(PIECE_BYTES);
  for (let at = 0; ; ) {
    const length = readSync(log, piece, 0, piece.length, at);
    if (length === 0) return;
    let written = 0;
    while (written < length) written += writeSync(log, piece, written, length - written, at + written);
    at += length;
  }
}
