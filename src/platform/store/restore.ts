/**
 * A backup put in the place of a store that nobody has open. Store and key must change together: the key of one opens
 * nothing of the other. So both are made whole in a folder of the data folder, and one rename of that folder decides:
 *
 *   restoring/       is being made; the next start removes it
 *   restore-ready/   is whole; this process or the next start moves its store and key into place
 *
 * Each step of the second part can be done again after a power cut, and what was there is moved away before its name is
 * given to another.
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { copyNew, flushFile, flushFolder, linkOrMove, makeFolder, move, writeNew } from '../files/durable.ts';
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
import { SCHEMA_VERSION } from './migrate.ts';

const STORE = 'postern.db';
const KEY = 'server.key';
const KEY_BYTES_MAX = 4096;
const UNFINISHED = 'restoring';
const READY = 'restore-ready';
/** In READY: what is replaced, until all of it is there. */
const REPLACED = 'replaced';

export interface Restored extends Contents {
  /** When the backup was made, microseconds; null for a plain copy of a store. */
  made_at: number | null;
  /** Where the store that was replaced is kept; null when there was none. */
  kept: string | null;
}

/** A backup that is open already: the user whose folder it goes to may not be able to open it. restoreBackup closes it. */
export interface OpenBackup {
  /** Its name, for messages. */
  file: string;
  descriptor: number;
}

/** Throws when the file is a store with a log beside it: the file alone is not all of it. */
export function openBackup(file: string): OpenBackup {
  const beside = ['-wal', '-journal'].map((end) => `${file}${end}`);
  if (beside.some((one) => existsSync(one) && statSync(one).size > 0)) {
    throw new Error(
      `${file} is a store that is in use, and no backup of one. Make one: postern backup FILE.`,
    );
  }
  return { file, descriptor: openSync(file, 'r') };
}

/**
 * Checks the backup whole before anything is touched. The caller holds the folder's lock and has called finishRestore.
 * What was there is kept in a folder beside. Whenever the power fails, the next start has the old store and key, or the
 * new ones.
 */
export function restoreBackup({ file, descriptor }: OpenBackup, dataDir: string, nowUs: number): Restored {
  const unfinished = join(dataDir, UNFINISHED);
  try {
    makeFolder(unfinished);
    const fresh = join(unfinished, STORE);
    copyNew(descriptor, fresh);
    const { note, contents } = prepare(fresh, file);
    if (!note && !existsSync(join(dataDir, KEY)) && (contents.rows.account ?? 0) > 0) {
      throw new Error(
        `${file} is a copy without the server's key, and ${dataDir} has none: what it sealed could not be opened. ` +
          `Put the server.key that belongs to it into ${dataDir} first.`,
      );
    }
    // A plain copy goes on with the key that is there; the store that is replaced keeps that key too.
    const key = note?.server_key ?? readKey(dataDir);
    if (key) writeNew(join(unfinished, KEY), key);
    foldLog(join(dataDir, STORE));
    flushFolder(unfinished);
    move(unfinished, join(dataDir, READY));
    const kept = finishNow(dataDir, nowUs);
    return { ...contents, made_at: note?.made_at ?? null, kept };
  } finally {
    closeSync(descriptor);
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** The restore is decided: if the disk fails from here on, the next start finishes it. */
function finishNow(dataDir: string, nowUs: number): string | null {
  try {
    return finishRestore(dataDir, nowUs)?.kept ?? null;
  } catch (fault) {
    throw new Error(
      `The backup is whole and in the data folder, but was not put in its place: ${(fault as Error).message}. ` +
        'The next start, or the next command, does the rest.',
    );
  }
}

/**
 * Finishes a restore that a power cut interrupted, or takes back one that was not ready. The caller holds the folder's
 * lock, and calls this before it opens the store. Null when none was ready.
 */
export function finishRestore(dataDir: string, nowUs: number): { kept: string | null } | null {
  rmSync(join(dataDir, UNFINISHED), { recursive: true, force: true });
  // Left by an earlier version.
  rmSync(join(dataDir, `${STORE}.restoring`), { force: true });
  const ready = join(dataDir, READY);
  if (!isReady(dataDir)) {
    rmSync(ready, { force: true });
    return null;
  }
  const replaced = join(ready, REPLACED);
  makeFolder(replaced);
  if (existsSync(join(ready, STORE))) {
    // A log that stayed would be read into the new store. Most often there is none: it was folded in.
    keep(dataDir, replaced, [STORE, `${STORE}-wal`, `${STORE}-journal`]);
    rmSync(join(dataDir, `${STORE}-shm`), { force: true });
    flushFolder(dataDir);
    move(join(ready, STORE), join(dataDir, STORE));
  }
  if (existsSync(join(ready, KEY))) {
    keep(dataDir, replaced, [KEY]);
    move(join(ready, KEY), join(dataDir, KEY));
  }
  let kept = null;
  if (readdirSync(replaced).length > 0) {
    kept = join(dataDir, `replaced-${new Date(nowUs / 1000).toISOString().replace(/[:.]/g, '-')}`);
    move(replaced, kept);
  }
  rmSync(ready, { recursive: true, force: true });
  flushFolder(dataDir);
  return { kept };
}

/** Whether store and key are being changed: they may not belong to each other. */
export function isReady(dataDir: string): boolean {
  return lstatSync(join(dataDir, READY), { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * Files of the data folder get a name in the other folder too, so that the first name can be given away in one step; a
 * log just moves. Never written through and never followed: root may restore into a folder of the service's user.
 */
function keep(dataDir: string, replaced: string, names: readonly string[]): void {
  for (const name of names) {
    const file = join(dataDir, name);
    const found = lstatSync(file, { throwIfNoEntry: false });
    // What takes the name may have it already, and its old one too, on a file system that renames in two steps.
    if (!found || found.ino === lstatSync(join(dataDir, READY, name), { throwIfNoEntry: false })?.ino)
      continue;
    const to = freeName(join(replaced, name), found.ino);
    if (to === null) continue;
    if (found.isFile() && (name === STORE || name === KEY)) linkOrMove(file, to);
    else move(file, to);
  }
  flushFolder(replaced);
}

/** Null when the file has that name already. A file that was kept before a power cut is never overwritten. */
function freeName(wanted: string, inode: number): string | null {
  for (let number = 0; ; number++) {
    const name = number === 0 ? wanted : `${wanted}.${number}`;
    const found = lstatSync(name, { throwIfNoEntry: false });
    if (!found) return name;
    if (found.ino === inode) return null;
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
      // Switched here, so that no start has to do it through a rollback journal in the data folder.
      database.pragma('journal_mode = WAL');
      return { note, contents: { size: statSync(fresh).size, schema, rows } };
    } finally {
      database.close();
      flushFile(fresh);
    }
  } catch (fault) {
    if (/^SQLITE_(NOTADB|CORRUPT)/.test(String((fault as { code?: unknown }).code))) {
      throw new Error(`${file} is no backup, or damaged: ${(fault as Error).message}. Nothing was changed.`);
    }
    throw fault;
  }
}

/** Folds the log into the store, and rolls back a transaction that a crash interrupted, if the store still opens. */
function foldLog(store: string): void {
  if (!existsSync(store)) return;
  try {
    const database = openFile(store);
    try {
      database.pragma('wal_checkpoint(TRUNCATE)');
    } finally {
      // The last one that closes it removes the log.
      database.close();
    }
  } catch {
    // Damaged: that may be why it is replaced.
  }
}

/** The key of the folder; null when there is none, or a link instead of one. */
function readKey(dataDir: string): Uint8Array | null {
  let descriptor: number;
  try {
    descriptor = openSync(
      join(dataDir, KEY),
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
  } catch {
    return null;
  }
  try {
    const found = fstatSync(descriptor);
    return found.isFile() && found.size <= KEY_BYTES_MAX ? readFileSync(descriptor) : null;
  } finally {
    closeSync(descriptor);
  }
}
