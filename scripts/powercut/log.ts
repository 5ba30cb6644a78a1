/** Reads the log of crashfs (crashfs/main.go): every change to the folder, in order, with marks for answers. */
import { readFileSync } from 'node:fs';

export interface LogRecord {
  n: number;
  op:
    | 'bind'
    | 'create'
    | 'mkdir'
    | 'mknod'
    | 'link'
    | 'unlink'
    | 'rename'
    | 'write'
    | 'truncate'
    | 'fsync'
    | 'fsyncdir'
    | 'mark';
  /** The changed file or folder; a file keeps its id under every name. */
  id?: number;
  /** The folder of `name`, and the target folder of a rename. */
  dir?: number;
  name?: string;
  dir2?: number;
  name2?: string;
  /** Offset of a write; for an fsync, the last record that it covers. */
  off?: number;
  /** Bytes written, or the new length. */
  size?: number;
  /** Path relative to the mount, for a file from before the log. */
  path?: string;
  mark?: unknown;
  data: Uint8Array;
}

export function readLog(file: string): LogRecord[] {
  const bytes = readFileSync(file);
  const records: LogRecord[] = [];
  let at = 0;
  const next = () => {
    const length = bytes.readUInt32LE(at);
    const part = bytes.subarray(at + 4, at + 4 + length);
    if (part.length < length) throw new Error(`the log ${file} ends in the middle of a record`);
    at += 4 + length;
    return part;
  };
  while (at < bytes.length) {
    const head = JSON.parse(next().toString()) as Omit<LogRecord, 'data'>;
    records.push({ ...head, data: next() });
  }
  return records;
}
