/**
 * Replaces the store with a backup while nothing has it open. Store and key must change together, because neither works with the
 * other's counterpart. Two files can't be replaced in one step, so both are prepared in a subfolder of the data folder, and one
 * rename of that folder commits the restore:
 *
 *   restoring/       being prepared; the next start removes it
 *   restore-ready/   committed; this process, or the next start, moves its store and key into place
 *
 * Every step after the rename can be repeated after a power cut. The replaced files are kept under second names before their
 * first names are reused.
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
import { readCode } from '../core/thrown.ts';
import { copyNew, flushFile, flushFolder, linkOrMove, makeFolder, move, writeNew } from '../files/durable.ts';
import {
  type BackupNote,
  type Contents,
  checkDigest,
  checkRows,
  checkSoundness,
  countRows,
  readNote,
} from './backup.ts';
import { openFile } from './database.ts';
import { SERVER_KEY_FILE, STORE_FILE, STORE_INDEX_FILE, STORE_LOG_FILE } from './file-names.ts';
import { readSchemaVersion, SCHEMA_VERSION } from './migrate.ts';

const KEY_BYTES_MAX = 4096;
const UNFINISHED = 'restoring';
const READY = 'restore-ready';
/** Within READY: the replaced files, until the restore is complete. */
const REPLACED = 'replaced';

export interface Restored extends Contents {
  /** When the backup was made, microseconds; null for a plain copy of a store. */
  made_at: number | null;
  /** Where the replaced store is kept; null when there was none. */
  kept: string | null;
}

/**
 * An open backup. It is opened early, because the user of the data folder, as whom the restore runs, may not be allowed to open
 * it. restoreBackup closes it.
 */
export interface OpenBackup {
  /** Its path, for messages. */
  file: string;
  descriptor: number;
}

/** Opens a backup. Throws if the file is a store with a log beside it, without which it is incomplete. */
export function openBackup(file: string): OpenBackup {
  const beside = ['-wal', '-journal'].map((end) => `${file}${end}`);
  if (beside.some((one) => existsSync(one) && statSync(one).size > 0)) {
    throw new Error(`${file} is a store in use, not a backup. Make one: postern backup FILE.`);
  }
  return { file, descriptor: openSync(file, 'r') };
}

/**
 * Verifies the whole backup before it changes anything, then replaces store and key, and keeps the old ones in a folder beside
 * them. Call it under the folder's lock, after finishRestore. After a power cut at any moment, the next start has either the old
 * store and key or the new ones.
 */
export function restoreBackup({ file, descriptor }: OpenBackup, dataDir: string, nowUs: number): Restored {
  const unfinished = join(dataDir, UNFINISHED);
  try {
    makeFolder(unfinished);
    const fresh = join(unfinished, STORE_FILE);
    copyNew(descriptor, fresh);
    const { note, contents } = prepare(fresh, file);
    if (!note && !existsSync(join(dataDir, SERVER_KEY_FILE)) && (contents.rows.account ?? 0) > 0) {
      throw new Error(
        `${file} is a copy without the server's key, and ${dataDir} has none: its secrets could not be opened. ` +
          `Put its server.key into ${dataDir} first.`,
      );
    }
    // A plain copy of a store has no key of its own, so it gets a copy of the folder's.
    const key = note?.server_key ?? readKey(dataDir);
    if (key) writeNew(join(unfinished, SERVER_KEY_FILE), key);
    checkpointStore(join(dataDir, STORE_FILE));
    flushFolder(unfinished);
    move(unfinished, join(dataDir, READY));
    const kept = finishNow(dataDir, nowUs);
    return { ...contents, made_at: note?.made_at ?? null, kept };
  } finally {
    closeSync(descriptor);
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Moves store and key into place. The restore is committed: if this fails, the next start completes it. */
function finishNow(dataDir: string, nowUs: number): string | null {
  try {
    return finishRestore(dataDir, nowUs)?.kept ?? null;
  } catch (fault) {
    throw new Error(
      `The backup is complete in the data folder, but was not put in place: ${(fault as Error).message}. ` +
        'The next start, or the next command, will finish it.',
    );
  }
}

/**
 * Completes a restore that was committed, and removes one that was not. Every start calls it, under the folder's lock, before it
 * opens the store. Returns null if there was none to complete.
 */
export function finishRestore(dataDir: string, nowUs: number): { kept: string | null } | null {
  rmSync(join(dataDir, UNFINISHED), { recursive: true, force: true });
  // Earlier versions left this file.
  rmSync(join(dataDir, `${STORE_FILE}.restoring`), { force: true });
  const ready = join(dataDir, READY);
  if (!isBeingReplaced(dataDir)) {
    rmSync(ready, { force: true });
    return null;
  }
  const replaced = join(ready, REPLACED);
  makeFolder(replaced);
  if (existsSync(join(ready, STORE_FILE))) {
    // SQLite would read a log of the old store into the new one. Usually there is none, because it was checkpointed.
    keep(dataDir, replaced, [STORE_FILE, STORE_LOG_FILE, `${STORE_FILE}-journal`]);
    rmSync(join(dataDir, STORE_INDEX_FILE), { force: true });
    flushFolder(dataDir);
    move(join(ready, STORE_FILE), join(dataDir, STORE_FILE));
  }
  if (existsSync(join(ready, SERVER_KEY_FILE))) {
    keep(dataDir, replaced, [SERVER_KEY_FILE]);
    move(join(ready, SERVER_KEY_FILE), join(dataDir, SERVER_KEY_FILE));
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

/** Whether store and key are being replaced. Those in the folder may not belong together then. */
export function isBeingReplaced(dataDir: string): boolean {
  return lstatSync(join(dataDir, READY), { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * Links store and key into the other folder, so that their first names can be replaced in one step each. A log is moved. No
 * file is opened for writing and no link is followed, because root may be restoring into a folder of the service's user.
 */
function keep(dataDir: string, replaced: string, names: readonly string[]): void {
  for (const name of names) {
    const file = join(dataDir, name);
    const found = lstatSync(file, { throwIfNoEntry: false });
    // After a power cut, some file systems have a renamed file under both names: this is already the new one.
    if (!found || found.ino === lstatSync(join(dataDir, READY, name), { throwIfNoEntry: false })?.ino)
      continue;
    const to = findFreeName(join(replaced, name), found.ino);
    if (to === null) continue;
    if (found.isFile() && (name === STORE_FILE || name === SERVER_KEY_FILE)) linkOrMove(file, to);
    else move(file, to);
  }
  flushFolder(replaced);
}

/** Returns a free name like `wanted`; null if the file already has one. Never that of a file kept before a power cut. */
function findFreeName(wanted: string, inode: number): string | null {
  for (let number = 0; ; number++) {
    const name = number === 0 ? wanted : `${wanted}.${number}`;
    const found = lstatSync(name, { throwIfNoEntry: false });
    if (!found) return name;
    if (found.ino === inode) return null;
  }
}

/** Verifies the copy and turns it into a store. Returns its note, if it is a backup, and its contents. */
function prepare(fresh: string, file: string): { note: BackupNote | null; contents: Contents } {
  try {
    const database = openFile(fresh);
    try {
      if (!database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'message'`).get()) {
        throw new Error(
          statSync(fresh).size === 0
            ? `${file} is empty, so it is not a backup. Nothing was changed.`
            : `${file} is a database, but not a Postern store. Nothing was changed.`,
        );
      }
      const schema = readSchemaVersion(database);
      if (schema > SCHEMA_VERSION) {
        throw new Error(
          `${file} was made by a newer Postern (schema ${schema}; this version supports ${SCHEMA_VERSION}). Install that version.`,
        );
      }
      database.pragma('journal_mode = DELETE');
      checkSoundness(database, file);
      const note = readNote(database);
      if (note) checkRows(database, note.rows);
      if (note) checkDigest(database, note, file);
      const rows = note?.rows ?? countRows(database);
      database.exec('DROP TABLE IF EXISTS backup_note');
      // Switched to WAL here, so that no start leaves a rollback journal in the data folder.
      database.pragma('journal_mode = WAL');
      return { note, contents: { size: statSync(fresh).size, schema, rows } };
    } finally {
      database.close();
      flushFile(fresh);
    }
  } catch (fault) {
    if (/^SQLITE_(NOTADB|CORRUPT)/.test(readCode(fault))) {
      throw new Error(
        `${file} is not a backup, or is damaged: ${(fault as Error).message}. Nothing was changed.`,
      );
    }
    throw fault;
  }
}

/** Copies the log into the store, or rolls back its journal, if the store still opens. */
function checkpointStore(store: string): void {
  // Beside an empty store, SQLite would remove the log, which may be all that is left.
  if ((statSync(store, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  try {
    const database = openFile(store);
    try {
      database.pragma('wal_checkpoint(TRUNCATE)');
    } finally {
      // The last connection to close removes the log.
      database.close();
    }
  } catch {
    // The store is damaged, which may be why it is replaced. Its files are kept as they are.
  }
}

/** Reads the folder's key. Null if there is none, or if it is a link. */
function readKey(dataDir: string): Uint8Array | null {
  let descriptor: number;
  try {
    descriptor = openSync(
      join(dataDir, SERVER_KEY_FILE),
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
