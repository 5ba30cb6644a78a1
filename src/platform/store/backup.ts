/**
 * A backup is one file: a consistent copy of the store, plus a table with the server's key, which opens the store's secrets,
 * and with what a complete copy contains, so that damage is found. A process other than the server makes it, in one read
 * transaction, so that it does not hold up the server.
 */
import { createHash } from 'node:crypto';
import { closeSync, lstatSync, rmSync, statSync } from 'node:fs';
import { flushFile, move } from '../files/durable.ts';
import { openFile, openReader, type Sqlite } from './database.ts';
import { SERVER_KEY_BYTES } from './file-names.ts';
import { readSchemaVersion } from './migrate.ts';
import { openPartial } from './partial-file.ts';

/** The store to back up, and its key. */
export interface BackupSource {
  /** Within one read transaction, begun before `rows` were counted: otherwise each commit of the server would restart the copy. */
  database: Sqlite;
  /** Number of rows per table. */
  rows: Record<string, number>;
  server_key: Uint8Array;
}

export interface BackupRequest {
  source: BackupSource;
  file: string;
  nowUs: number;
  /** Called when the copy is verified, before it gets its name. */
  onVerified?: () => void;
  /** Called with the bytes copied so far, and in total. */
  onProgress?: (done: number, total: number) => void;
}

/** Contents of a backup or of a restored store. */
export interface Contents {
  size: number;
  schema: number;
  /** Number of rows per table. */
  rows: Record<string, number>;
}

/** Contents of a backup's own table. */
export interface BackupNote {
  made_at: number;
  server_key: Uint8Array;
  rows: Record<string, number>;
  /** Digest of all row contents; null in backups of versions that had none. */
  digest: string | null;
}

/** Pages copied per step: 1 MiB. */
const STEP_PAGES = 256;
/** The copy is flushed while it is written. One large flush at the end would delay the server's own. */
const FLUSH_EVERY_STEPS = 4;

/** Makes a backup, reads all of it to verify it, and only then gives it its name. */
export async function makeBackup(request: BackupRequest): Promise<Contents> {
  refuseForeign(request.file);
  const partial = `${request.file}.partial`;
  const { rows, server_key } = request.source;
  // Created here, so that SQLite opens this file, not the target of a link that somebody planted.
  const held = openPartial(partial);
  if (held === null)
    throw new Error(`Another backup to ${request.file} is being made, so this one was not begun.`);
  const leftovers = [`${partial}-journal`, partial];
  rmSync(leftovers[0]!, { force: true });
  try {
    await copyStore(request, partial);
    const made = openFile(partial);
    try {
      checkSoundness(made, partial);
      checkRows(made, rows);
      writeNote(made, {
        made_at: request.nowUs,
        server_key,
        rows,
        digest: computeDigest(made),
      });
      const schema = readSchemaVersion(made);
      made.close();
      flushFile(partial);
      request.onVerified?.();
      move(partial, request.file);
      // From now on both names may be another backup's, which fails if its journal is removed.
      leftovers.length = 0;
      return { size: statSync(request.file).size, schema, rows };
    } finally {
      if (made.open) made.close();
    }
  } finally {
    for (const rest of leftovers) rmSync(rest, { force: true });
    closeSync(held);
  }
}

async function copyStore(
  { source: { database }, onProgress }: BackupRequest,
  partial: string,
): Promise<void> {
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

/** Throws if the file exists and is not a backup: only a backup may be replaced. */
function refuseForeign(file: string): void {
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (!there) return;
  if (there.isSymbolicLink())
    throw new Error(`${file} is a link; it was not changed. Give the path of the file itself.`);
  try {
    const database = openReader(file);
    try {
      if (readNote(database)) return;
    } finally {
      database.close();
    }
  } catch {
    // It is not a database.
  }
  throw new Error(
    `${file} exists and is not a Postern backup, or is damaged; it was not changed. Give another name, or move it away.`,
  );
}

/** Names of our tables, without those of the search index, which are derived from them. */
function listTables(database: Sqlite): string[] {
  const names = database
    .prepare(`SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name`)
    .pluck()
    .all() as string[];
  return names.filter((name) => !/^(sqlite_|message_search|backup_note$)/.test(name));
}

/** Counts the rows of each of our tables. */
export function countRows(database: Sqlite): Record<string, number> {
  return Object.fromEntries(
    listTables(database).map((name) => [
      name,
      database.prepare(`SELECT count(*) FROM "${name}"`).pluck().get() as number,
    ]),
  );
}

/** Throws unless each table has this number of rows. */
export function checkRows(database: Sqlite, rows: Record<string, number>): void {
  const found = countRows(database);
  const wrong = Object.keys({ ...rows, ...found }).filter((name) => rows[name] !== found[name]);
  if (wrong.length > 0) {
    const differences = wrong.map(
      (name) => `${name} has ${found[name] ?? 'no table'}, not ${rows[name] ?? 'none'}`,
    );
    throw new Error(`The copy is incomplete: ${differences.join('; ')}.`);
  }
}

/** Computes a SHA-256 of all rows: SQLite's own check finds a broken structure, but not a changed byte in a mail. */
function computeDigest(database: Sqlite): string {
  const hash = createHash('sha256');
  for (const name of listTables(database)) {
    hash.update(`\n${name}\n`);
    // In the table's own order, whatever indexes there are.
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

/** Throws unless the rows are the same as when the backup was made. */
export function checkDigest(database: Sqlite, { digest }: BackupNote, file: string): void {
  if (digest === null || computeDigest(database) === digest) return;
  throw new Error(`${file} is damaged: its contents have changed since it was made. Nothing was changed.`);
}

/** Throws if the store is damaged. Reads every page and every index. */
export function checkSoundness(database: Sqlite, file: string): void {
  const faults = (database.prepare('PRAGMA integrity_check(5)').pluck().all() as string[]).filter(
    (line) => line !== 'ok',
  );
  if (database.prepare('PRAGMA foreign_key_check').all().length > 0)
    faults.push('a row refers to a missing one');
  if (faults.length > 0) throw new Error(`${file} is damaged: ${faults.join('; ')}.`);
}

function writeNote(database: Sqlite, note: BackupNote): void {
  // No write-ahead log: copying the one file must copy everything.
  database.pragma('journal_mode = DELETE');
  database.exec('DROP TABLE IF EXISTS backup_note');
  database.exec('CREATE TABLE backup_note (made_at INTEGER, server_key BLOB, rows TEXT, digest TEXT) STRICT');
  database
    .prepare('INSERT INTO backup_note (made_at, server_key, rows, digest) VALUES (?, ?, ?, ?)')
    .run(note.made_at, note.server_key, JSON.stringify(note.rows), note.digest);
}

/** Reads the backup's own table. Null for a store that is not a backup; throws if the table can't be read. */
export function readNote(database: Sqlite): BackupNote | null {
  const table = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'backup_note'`).get();
  if (!table) return null;
  const row = database.prepare('SELECT * FROM backup_note').get() as
    | { made_at: number; server_key: Uint8Array; rows: string; digest?: string | null }
    | undefined;
  if (!row) return null;
  try {
    if (row.server_key.length !== SERVER_KEY_BYTES) throw new Error('no key');
    const rows = JSON.parse(row.rows) as Record<string, number>;
    return { ...row, rows, digest: row.digest ?? null };
  } catch {
    throw new Error('The backup is damaged: its description of itself cannot be read.');
  }
}
