/** Reads, changes or damages a store's file with bun:sqlite, independently of the program. */
import { Database } from 'bun:sqlite';
import { closeSync, copyFileSync, openSync, writeSync } from 'node:fs';

function alter(file: string, ...statements: string[]): void {
  const database = new Database(file);
  database.run('PRAGMA foreign_keys = OFF');
  for (const statement of statements) database.run(statement);
  database.close();
}

export const setSchemaVersion = (file: string, version: number) =>
  alter(file, `PRAGMA user_version = ${version}`);
export const dropTable = (file: string, table: string) => alter(file, `DROP TABLE ${table}`);
export const emptyTable = (file: string, table: string) => alter(file, `DELETE FROM ${table}`);
export const changeSubjects = (file: string) => alter(file, "UPDATE message SET subject = 'two'");
/** Makes a backup like those of the first versions, which had no digest. */
export const dropDigest = (file: string) => alter(file, 'ALTER TABLE backup_note DROP COLUMN digest');
export const blankBackupKey = (file: string) => alter(file, "UPDATE backup_note SET server_key = x'00'");
export const setMadeAt = (file: string, madeAtUs: number) =>
  alter(file, `UPDATE backup_note SET made_at = ${madeAtUs}`);
export const spoilBackupNote = (file: string) => alter(file, "UPDATE backup_note SET rows = '{'");

/** Reads the store as the next start finds it after a crash, with the content of the write-ahead log. */
export function readStore(file: string): { version: number; isSound: boolean } {
  using database = new Database(file);
  const read = (pragma: string) => database.query(`PRAGMA ${pragma}`).values()[0]?.[0];
  return { version: Number(read('user_version')), isSound: read('integrity_check') === 'ok' };
}

/** Returns the subjects of all messages, sorted. */
export function readSubjects(file: string): string[] {
  using database = new Database(file);
  return database.query('SELECT subject FROM message').values().flat().map(String).toSorted();
}

export function countMails(file: string): number {
  using database = new Database(file, { readonly: true });
  return Number(database.query('SELECT count(*) FROM message').values()[0]?.[0]);
}

/** Overwrites the first page of an index or a table with zeros, as a broken disk does. */
export function zeroIndex(file: string, index: string): void {
  const database = new Database(file, { readonly: true });
  const number = (sql: string) => Number(database.query(sql).values()[0]?.[0]);
  const page = number(`SELECT rootpage FROM sqlite_schema WHERE name = '${index}'`);
  const bytes = number('PRAGMA page_size');
  database.close();
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, new Uint8Array(bytes), 0, bytes, (page - 1) * bytes);
  closeSync(descriptor);
}

/** Writes half a transaction into a copy of the store, next to the journal that undoes it. */
export function copyHalfWritten(store: string, copy: string): void {
  const database = new Database(store);
  database.run('PRAGMA journal_mode = DELETE');
  // When the cache is full, pages are written to the file before the commit.
  database.run('PRAGMA cache_size = 1');
  database.run('BEGIN IMMEDIATE');
  database.run(`UPDATE user SET email = 'half@example.com'`);
  database.run('CREATE TABLE half (bytes BLOB)');
  for (let row = 0; row < 50; row++) database.run('INSERT INTO half VALUES (zeroblob(8000))');
  for (const end of ['', '-journal']) copyFileSync(`${store}${end}`, `${copy}${end}`);
  database.run('ROLLBACK');
  database.close();
}

/** Reads the contents that copyHalfWritten may have changed. Throws if they can't be read. */
export function readHalfWritten(file: string, options: { readonly?: true } = {}) {
  const database = new Database(file, { readwrite: true, ...options });
  try {
    const values = (sql: string) => database.query(sql).values().flat();
    return {
      emails: values('SELECT email FROM user'),
      halfTables: values(`SELECT name FROM sqlite_schema WHERE name = 'half'`),
      integrity: values('PRAGMA integrity_check'),
    };
  } finally {
    database.close();
  }
}

/** Returns what is wrong in the store of an idle server. */
export function findUnsound(file: string): string[] {
  const store = new Database(file, { readonly: true });
  const count = (sql: string) => (store.query(sql).get() as { count: number }).count;
  try {
    const faults = (store.query('PRAGMA integrity_check').all() as { integrity_check: string }[])
      .map(({ integrity_check }) => integrity_check)
      .filter((fault) => fault !== 'ok');
    if (store.query('PRAGMA foreign_key_check').all().length > 0) faults.push('a foreign key points nowhere');
    const orphans = count(
      `SELECT count(*) AS count FROM raw
       WHERE refs <> (SELECT count(*) FROM message WHERE raw_no = raw.no)
         + (SELECT count(*) FROM withheld WHERE raw_no = raw.no)`,
    );
    if (orphans > 0) faults.push(`${orphans} mails whose count of messages is wrong`);
    const pieces = count('SELECT count(*) AS count FROM raw_chunk WHERE raw_no NOT IN (SELECT no FROM raw)');
    if (pieces > 0) faults.push(`${pieces} pieces of no mail`);
    return faults;
  } finally {
    store.close();
  }
}
