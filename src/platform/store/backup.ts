/**
 * A backup is one file: a consistent copy of the store, and in it a table of its own that holds the server's key (without
 * which the secrets in the store could not be opened) and what the copy must hold to be whole. It is made from another
 * process than the server, from one read transaction, so that the server goes on as before.
 */
import { createHash } from 'node:crypto';
import { closeSync, existsSync, rmSync, statSync } from 'node:fs';
import { createFile, flushFile, move } from '../files/durable.ts';
import { openFile, openReader, type Sqlite } from './database.ts';

/** The store that a backup is made of, and the key that belongs to it. */
export interface BackupSource {
  /** In one transaction from the count to the last page: else each commit of the server would begin the copy anew. */
  database: Sqlite;
  /** Rows of each table. */
  rows: Record<string, number>;
  server_key: Uint8Array;
}

export interface BackupWish {
  source: BackupSource;
  file: string;
  nowUs: number;
  /** Bytes that are copied so far, and in all. */
  onProgress?: (done: number, total: number) => void;
}

/** What a backup or a restored store holds. */
export interface Contents {
  size: number;
  schema: number;
  /** Rows of each table. */
  rows: Record<string, number>;
}

/** What stands in a backup's own table. */
export interface BackupNote {
  made_at: number;
  server_key: Uint8Array;
  rows: Record<string, number>;
  /** Of all that the rows say; null in a backup of a version that kept none. */
  digest: string | null;
}

/** Of server.key. */
const KEY_BYTES = 32;

/** Pages that are copied between two looks at the disk: 1 MiB. */
const STEP_PAGES = 256;
/** What is written is brought to the disk in pieces: one large flush at the end would hold up the server's own. */
const FLUSH_EVERY_STEPS = 4;

/** Makes the backup, reads it whole to see that it is sound, and only then gives it its name. */
export async function makeBackup(wish: BackupWish): Promise<Contents> {
  refuseForeign(wish.file);
  const partial = `${wish.file}.partial`;
  const { rows, server_key } = wish.source;
  rmSync(partial, { force: true });
  try {
    // Created here, so that SQLite writes into this file and not through a link that somebody put there.
    closeSync(createFile(partial));
    await copyStore(wish, partial);
    const made = openFile(partial);
    try {
      checkSoundness(made, partial);
      checkRows(made, rows);
      writeNote(made, {
        made_at: wish.nowUs,
        server_key,
        rows,
        digest: digestOf(made),
      });
      const schema = schemaOf(made);
      made.close();
      flushFile(partial);
      move(partial, wish.file);
      return { size: statSync(wish.file).size, schema, rows };
    } finally {
      if (made.open) made.close();
    }
  } finally {
    for (const rest of [partial, `${partial}-journal`]) rmSync(rest, { force: true });
  }
}

async function copyStore({ source: { database }, onProgress }: BackupWish, partial: string): Promise<void> {
  let steps = 0;
  await database.backup(partial, {
    progress({ totalPages, remainingPages }) {
      const pageBytes = Number(database.pragma('page_size', { simple: true }));
      if (steps++ % FLUSH_EVERY_STEPS === 0) flushFile(partial);
      onProgress?.((totalPages - remainingPages) * pageBytes, totalPages * pageBytes);
      return STEP_PAGES;
    },
  });
}

/** A file that is there is replaced when it is a backup, and never when it is anything else. */
function refuseForeign(file: string): void {
  if (!existsSync(file)) return;
  try {
    const database = openReader(file);
    try {
      if (readNote(database)) return;
    } finally {
      database.close();
    }
  } catch {
    // No store at all.
  }
  throw new Error(`${file} is there and is no backup of Postern; it was left as it is. Give another name.`);
}

/** Tables of ours; those behind the search are made from the others. */
function tablesOf(database: Sqlite): string[] {
  const names = database
    .prepare(`SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name`)
    .pluck()
    .all() as string[];
  return names.filter((name) => !/^(sqlite_|message_search|backup_note$)/.test(name));
}

/** Rows of each table of ours. */
export function countRows(database: Sqlite): Record<string, number> {
  return Object.fromEntries(
    tablesOf(database).map((name) => [
      name,
      database.prepare(`SELECT count(*) FROM "${name}"`).pluck().get() as number,
    ]),
  );
}

export function checkRows(database: Sqlite, rows: Record<string, number>): void {
  const found = countRows(database);
  const wrong = Object.keys({ ...rows, ...found }).filter((name) => rows[name] !== found[name]);
  if (wrong.length > 0) {
    const told = wrong.map((name) => `${name} has ${found[name] ?? 'no table'}, not ${rows[name] ?? 'none'}`);
    throw new Error(`The copy does not hold what it should: ${told.join('; ')}.`);
  }
}

/** SHA-256 of all that the rows say: SQLite's own check sees what is out of order, and not a byte that changed in a mail. */
function digestOf(database: Sqlite): string {
  const hash = createHash('sha256');
  for (const name of tablesOf(database)) {
    hash.update(`\n${name}\n`);
    // In the order of the table itself, whatever indexes there are.
    const rows = database.prepare(`SELECT * FROM "${name}" NOT INDEXED`).raw().iterate();
    for (const row of rows as Iterable<unknown[]>) {
      for (const value of row) {
        if (value instanceof Uint8Array) hash.update(`b${value.length},`).update(value);
        else hash.update(typeof value === 'string' ? `s${value.length},${value}` : `${value},`);
      }
    }
  }
  return hash.digest('hex');
}

/** Whether it still says what it said when it was made. */
export function checkDigest(database: Sqlite, { digest }: BackupNote, file: string): void {
  if (digest === null || digestOf(database) === digest) return;
  throw new Error(`${file} is damaged: it does not say what it said when it was made. Nothing was changed.`);
}

/** Reads every page and every index. */
export function checkSoundness(database: Sqlite, file: string): void {
  const faults = (database.prepare('PRAGMA integrity_check(5)').pluck().all() as string[]).filter(
    (line) => line !== 'ok',
  );
  if (database.prepare('PRAGMA foreign_key_check').all().length > 0) faults.push('a row points nowhere');
  if (faults.length > 0) throw new Error(`${file} is damaged: ${faults.join('; ')}.`);
}

export function schemaOf(database: Sqlite): number {
  return Number(database.pragma('user_version', { simple: true }));
}

function writeNote(database: Sqlite, note: BackupNote): void {
  // One file, that a copy of it is whole: no write-ahead log beside it.
  database.pragma('journal_mode = DELETE');
  database.exec('DROP TABLE IF EXISTS backup_note');
  database.exec('CREATE TABLE backup_note (made_at INTEGER, server_key BLOB, rows TEXT, digest TEXT) STRICT');
  database
    .prepare('INSERT INTO backup_note (made_at, server_key, rows, digest) VALUES (?, ?, ?, ?)')
    .run(note.made_at, note.server_key, JSON.stringify(note.rows), note.digest);
}

/** Null for a store that is no backup. Throws when the note can't be read. */
export function readNote(database: Sqlite): BackupNote | null {
  const table = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'backup_note'`).get();
  if (!table) return null;
  const row = database.prepare('SELECT * FROM backup_note').get() as
    | { made_at: number; server_key: Uint8Array; rows: string; digest?: string | null }
    | undefined;
  if (!row) return null;
  try {
    if (row.server_key.length !== KEY_BYTES) throw new Error('no key');
    const rows = JSON.parse(row.rows) as Record<string, number>;
    return { ...row, rows, digest: row.digest ?? null };
  } catch {
    throw new Error('The backup is damaged: what it says of itself can not be read.');
  }
}
