/** The write-ahead log is written again after a failed fsync, and after a kill. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { appendFileSync, copyFileSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { openReader, openWriter, type Sqlite } from '../../../src/platform/store/database.ts';
import { Writer } from '../../../src/platform/store/group-commit.ts';
import { rewriteLog } from '../../../src/platform/store/rewrite-log.ts';
import { temporaryFolder } from '../../doors/operator/folder.ts';

let folder: ReturnType<typeof temporaryFolder>;
let file: string;
let log: string;
let database: Sqlite;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder.path, 'postern.db');
  log = `${file}-wal`;
  database = openWriter(file);
  database.exec('CREATE TABLE one (bytes BLOB)');
});
afterEach(() => {
  database.close();
  folder[Symbol.dispose]();
});

const add = (bytes: number) => database.prepare('INSERT INTO one VALUES (randomblob(?))').run(bytes);
const makeOld = () => utimesSync(log, 1, 1);
const isNew = () => statSync(log).mtimeMs > 1000;

/** Counts the rows that the next start would find after a kill now. */
function countAfterKill(): number {
  const left = join(folder.path, 'left.db');
  copyFileSync(file, left);
  copyFileSync(log, `${left}-wal`);
  const reader = openReader(left);
  try {
    return reader.prepare('SELECT count(*) FROM one').pluck().get() as number;
  } finally {
    reader.close();
  }
}

test('a log that is written again keeps every byte', () => {
  for (const bytes of [1, 4120, 3 * 1024 * 1024 + 17]) {
    add(bytes);
    const content = readFileSync(log);
    makeOld();
    rewriteLog(database, log);
    expect(readFileSync(log).equals(content)).toBe(true);
    expect(isNew()).toBe(true);
  }
  expect(countAfterKill()).toBe(3);
});

/** Leaves the log as SQLite does if the fsync of a commit fails: its frames are in the file, but not in the index. */
function failToAdd(): void {
  const twin = join(folder.path, 'twin.db');
  copyFileSync(file, twin);
  copyFileSync(log, `${twin}-wal`);
  const valid = statSync(log).size;
  const other = openWriter(twin);
  other.exec('INSERT INTO one VALUES (randomblob(20))');
  appendFileSync(log, readFileSync(`${twin}-wal`).subarray(valid));
  other.close();
}

test('after a kill a failed commit is gone, and a later one is there', () => {
  add(10);
  failToAdd();
  expect(countAfterKill()).toBe(2);
  const { size } = statSync(log);
  rewriteLog(database, log);
  expect(countAfterKill()).toBe(1);
  expect(statSync(log).size).toBe(size);
  add(10);
  add(10);
  expect(countAfterKill()).toBe(3);
});

test('a log that can’t be written again is a fault of the disk', () => {
  const missing = join(folder.path, 'missing');
  expect(() => rewriteLog(database, missing)).toThrow(
    expect.objectContaining({ code: 'SQLITE_IOERR_FSYNC' }),
  );
  expect(database.inTransaction).toBe(false);
});

test('a log whose store can’t be read is a fault of the disk too', () => {
  // What SQLite says of a file system that has shut down (ext4, XFS).
  const pragma = () => {
    throw Object.assign(new Error('database disk image is malformed'), { code: 'SQLITE_CORRUPT' });
  };
  const unreadable = Object.assign(Object.create(database) as Sqlite, { pragma });
  expect(() => rewriteLog(unreadable, log)).toThrow(expect.objectContaining({ code: 'SQLITE_IOERR_FSYNC' }));
});

test('a writer first writes the log of a killed process again', () => {
  database.close();
  let writer = new Writer(file, []);
  writer.commitGroup([]);
  const killed = join(folder.path, 'killed.db');
  copyFileSync(file, killed);
  copyFileSync(log, `${killed}-wal`);
  writer.close();
  log = `${killed}-wal`;
  expect(statSync(log).size).toBeGreaterThan(0);
  makeOld();
  writer = new Writer(killed, []);
  expect(isNew()).toBe(true);
  writer.close();
  database = openWriter(file);
});

test('a log is not written again while another program writes to it', () => {
  const other = openWriter(file);
  other.exec('BEGIN IMMEDIATE');
  database.pragma('busy_timeout = 0');
  makeOld();
  expect(() => rewriteLog(database, log)).toThrow('database is locked');
  expect(isNew()).toBe(false);
  other.exec('ROLLBACK');
  other.close();
  rewriteLog(database, log);
  expect(isNew()).toBe(true);
});

test('a log that can’t be written again is not copied into the store when its writer ends', async () => {
  const worker = new Worker(new URL('failing-flush.ts', import.meta.url).href);
  const answered = Promise.withResolvers<unknown>();
  const ended = new Promise((resolve) => worker.addEventListener('close', resolve));
  worker.onmessage = ({ data }) => answered.resolve(data);
  worker.onerror = ({ message }) => answered.reject(new Error(message));
  file = join(folder.path, 'failing.db');
  log = `${file}-wal`;
  worker.postMessage(file);
  const refused = { failure: { code: 'storage_unavailable' } };
  expect(await answered.promise).toMatchObject([{ output: null }, refused]);
  worker.terminate();
  await ended;
  const { bytes, logBytes } = { bytes: statSync(file).size, logBytes: statSync(log).size };
  expect(logBytes).toBeGreaterThan(bytes);
  // The next start finds what was stored.
  const writer = new Writer(file, []);
  writer.close();
  const reader = openReader(file);
  expect(reader.prepare('SELECT name FROM job_run').pluck().all()).toEqual(['one']);
  reader.close();
});
