/** A backup put in the place of a store that nobody has open. */
import {
  constants,
  copyFileSync,
  existsSync,
  lchownSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  type BackupNote,
  type Contents,
  checkDigest,
  checkRows,
  checkSoundness,
  countRows,
  readNote,
  schemaOf,
} from './backup.ts';
import { openFile } from './database.ts';
import { flush } from './flush.ts';
import { SCHEMA_VERSION } from './migrate.ts';

const STORE = 'postern.db';
const KEY = 'server.key';

export interface Restored extends Contents {
  /** When the backup was made, microseconds; null for a plain copy of a store. */
  made_at: number | null;
  /** Where the store that was replaced is kept; null when there was none. */
  kept: string | null;
}

/**
 * Checks the backup whole before anything is touched. Whoever calls holds the folder's lock. What was there is kept in a
 * folder beside; whatever happens on the way, either the old store or the new one is there, whole.
 */
export function restoreBackup(file: string, data_dir: string, now_us: number): Restored {
  const fresh = join(data_dir, `${STORE}.restoring`);
  if (existsSync(`${file}-wal`) && statSync(`${file}-wal`).size > 0) {
    throw new Error(
      `${file} is a store that is in use, and no backup of one. Make one: postern backup FILE.`,
    );
  }
  try {
    // What lies there is removed and never written through: root restores into a folder of the service's user.
    rmSync(fresh, { force: true });
    copyFileSync(file, fresh, constants.COPYFILE_EXCL);
    const { note, contents } = prepare(fresh, file);
    if (!note && !existsSync(join(data_dir, KEY)) && (contents.rows.account ?? 0) > 0) {
      throw new Error(
        `${file} is a copy without the server's key, and ${data_dir} has none: what it sealed could not be opened. ` +
          `Put the server.key that belongs to it into ${data_dir} first.`,
      );
    }
    const kept = keepOld(data_dir, now_us);
    if (note) placeKey(data_dir, note);
    renameSync(fresh, join(data_dir, STORE));
    giveToOwner(data_dir, [STORE, KEY, 'lock.db']);
    flush(data_dir);
    return { ...contents, made_at: note?.made_at ?? null, kept };
  } finally {
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(`${fresh}${end}`, { force: true });
  }
}

/** Makes a store of the copy, and says what it holds. */
function prepare(fresh: string, file: string): { note: BackupNote | null; contents: Contents } {
  try {
    const database = openFile(fresh);
    try {
      if (!database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'message'`).get()) {
        throw new Error(`${file} is a database, but no store of Postern.`);
      }
      const schema = schemaOf(database);
      if (schema > SCHEMA_VERSION) {
        throw new Error(
          `${file} was made by a newer Postern (schema ${schema}; this one knows ${SCHEMA_VERSION}). Install that version.`,
        );
      }
      database.pragma('journal_mode = DELETE');
      checkSoundness(database, file);
      const note = readNote(database);
      if (note) checkRows(database, note.rows);
      if (note) checkDigest(database, note, file);
      const rows = note?.rows ?? countRows(database);
      database.exec('DROP TABLE IF EXISTS backup_note');
      return { note, contents: { size: statSync(fresh).size, schema, rows } };
    } finally {
      database.close();
      flush(fresh);
    }
  } catch (fault) {
    if (/^SQLITE_(NOTADB|CORRUPT)/.test(String((fault as { code?: unknown }).code))) {
      throw new Error(`${file} is no backup, or damaged: ${(fault as Error).message}. Nothing was changed.`);
    }
    throw fault;
  }
}

/** A second name for what is there, so that the new store takes its first name in one step. */
function keepOld(data_dir: string, now_us: number): string | null {
  const store = join(data_dir, STORE);
  if (!existsSync(store)) return null;
  const folder = join(data_dir, `replaced-${new Date(now_us / 1000).toISOString().replace(/[:.]/g, '-')}`);
  mkdirSync(folder, { mode: 0o700 });
  foldLog(store);
  linkSync(store, join(folder, STORE));
  if (existsSync(join(data_dir, KEY))) copyFileSync(join(data_dir, KEY), join(folder, KEY));
  // A log that stayed would be read into the new store: what could not be folded in goes along with the old one.
  for (const end of ['-wal', '-shm']) {
    if (existsSync(`${store}${end}`)) renameSync(`${store}${end}`, join(folder, `${STORE}${end}`));
  }
  giveToOwner(data_dir, [folder.slice(data_dir.length + 1)]);
  giveToOwner(folder, [STORE, KEY, `${STORE}-wal`, `${STORE}-shm`]);
  flush(folder);
  return folder;
}

/** The store into one file, when it can still be opened. */
function foldLog(store: string): void {
  try {
    const database = openFile(store);
    try {
      database.pragma('journal_mode = DELETE');
    } finally {
      database.close();
    }
  } catch {
    // Damaged: that may be why it is replaced.
  }
}

function placeKey(data_dir: string, { server_key }: BackupNote): void {
  const file = join(data_dir, KEY);
  if (existsSync(file) && readFileSync(file).equals(server_key)) return;
  writeFileSync(`${file}.new`, server_key, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
}

/** For root, who restores for the service's user. */
function giveToOwner(folder: string, names: readonly string[]): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  for (const name of names) if (existsSync(join(folder, name))) lchownSync(join(folder, name), uid, gid);
}
