/**
 * A backup is one file: a consistent copy of the store, plus a table of its own with the server's key (needed to open
 * the store's secrets) and what the copy must contain to be complete. A process other than the server makes it, in
 * one read transaction, so the server is not disturbed.
 */
import { createHash } from 'node:crypto';
import { closeSync, lstatSync, rmSync, statSync } from 'node:fs';
import { flushFile, move } from '../files/durable.ts';
import { openFile, openReader, type Sqlite } from './database.ts';
import { openPartial } from './partial-file.ts';

/** The store that is backed up, and the key that belongs to it. */
export interface BackupSource {
  /** In one transaction from the count to the last page: otherwise each commit of the server would restart the copy. */
  database: Sqlite;
  /** Rows of each table. */
  rows: Record<string, number>;
  server_key: Uint8Array;
}

export interface BackupRequest {
  source: BackupSource;
  file: string;
  nowUs: number;
  /** Called when the copy is verified, before it gets its name. */
  onVerified?: () => void;
  /** Bytes copied so far, and in total. */
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

const KEY_BYTES = 32;

/** Pages copied between two checks of the disk: 1 MiB. */
const STEP_PAGES = 256;
/** Flushed in pieces: one large flush at the end would delay the server's own. */
const FLUSH_EVERY_STEPS = 4;

/** Makes the backup, reads all of it to verify it, and only then gives it its name. */
export async function makeBackup(request: BackupRequest): Promise<Contents> {
  refuseForeign(request.file);
  const partial = `${request.file}.partial`;
  const { rows, server_key } = request.source;
  // Created here, so that SQLite writes into this file and does not follow a link that somebody planted.
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
      // The name is free for another backup from now on.
      leftovers.pop();
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

/** An existing backup may be replaced; any other file never is. */
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
    // Not a store at all.
  }
  throw new Error(
    `${file} exists and is not a Postern backup, or is damaged; it was not changed. Give another name, or move it away.`,
  );
}

/** Our tables; the search index's internal ones are derived from them. */
function listTables(database: Sqlite): string[] {
  const names = database
    .prepare(`SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name`)
    .pluck()
    .all() as string[];
  return names.filter((name) => !/^(sqlite_|message_search|backup_note$)/.test(name));
}

/** Number of rows in each of our tables. */
export function countRows(database: Sqlite): Record<string, number> {
  return Object.fromEntries(
    listTables(database).map((name) => [
      name,
      database.prepare(`SELECT count(*) FROM "${name}"`).pluck().get() as number,
    ]),
  );
}

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

/** SHA-256 over all rows: SQLite's own check finds broken structure, but not a changed byte in a mail. */
function computeDigest(database: Sqlite): string {
  const hash = createHash('sha256');
  for (const name of listTables(database)) {
    hash.update(`\n${name}\n`);
    // In the table's own order, independent of indexes.
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

/** Throws unless the contents are the same as when the backup was made. */
export function checkDigest(database: Sqlite, { digest }: BackupNote, file: string): void {
  if (digest === null || computeDigest(database) === digest) return;
  throw new Error(`${file} is damaged: its contents have changed since it was made. Nothing was changed.`);
}

/** Reads every page and every index. */
export function checkSoundness(database: Sqlite, file: string): void {
  const faults = (database.prepare('PRAGMA integrity_check(5)').pluck().all() as string[]).filter(
    (line) => line !== 'ok',
  );
  if (database.prepare('PRAGMA foreign_key_check').all().length > 0)
    faults.push('a row refers to a missing one');
  if (faults.length > 0) throw new Error(`${file} is damaged: ${faults.join('; ')}.`);
}

export function readSchemaVersion(database: Sqlite): number {
  return Number(database.pragma('user_version', { simple: true }));
}

function writeNote(database: Sqlite, note: BackupNote): void {
  // One file, so that copying it copies everything: no write-ahead log beside it.
  database.pragma('journal_mode = DELETE');
  database.exec('DROP TABLE IF EXISTS backup_note');
  database.exec('CREATE TABLE backup_note (made_at INTEGER, server_key BLOB, rows TEXT, digest TEXT) STRICT');
  database
    .prepare('INSERT INTO backup_note (made_at, server_key, rows, digest) VALUES (?, ?, ?, ?)')
    .run(note.made_at, note.server_key, JSON.stringify(note.rows), note.digest);
}

/** Null for a store that is not a backup. Throws when the note can't be read. */
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
    throw new Error('The backup is damaged: its description of itself cannot be read.');
  }
}
