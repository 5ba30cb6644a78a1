/** The data folder: created, locked for one process, with the server's own key in it. */
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { systemClock } from '../../platform/core/clock.ts';
import { readCode, readReason } from '../../platform/core/thrown.ts';
import { addFile, makeFolder, readStart } from '../../platform/files/durable.ts';
import type { BackupSource } from '../../platform/store/backup.ts';
import { openBackupSource } from '../../platform/store/backup-source.ts';
import {
  LOCK_FILE,
  SERVER_KEY_BYTES,
  SERVER_KEY_FILE,
  STORE_FILE,
  STORE_INDEX_FILE,
  STORE_LOG_FILE,
} from '../../platform/store/file-names.ts';
import { type FolderLock, lockFolder } from '../../platform/store/lock.ts';
import { lookAtStore, type StoreLook } from '../../platform/store/look.ts';
import { explainFullDisk, Reserve } from '../../platform/store/reserve.ts';
import { finishRestore, isBeingReplaced } from '../../platform/store/restore.ts';
import { OperatorError } from './command.ts';

/** Value of the setting for a temporary folder, removed on exit. */
export const TEMPORARY_FOLDER = ':memory:';

const READ_WRITE = constants.R_OK | constants.W_OK;
/** The access that the process needs to each file. Not checked for a restore, which replaces store and key. */
const ownFiles = {
  [LOCK_FILE]: READ_WRITE,
  [STORE_FILE]: READ_WRITE,
  [STORE_LOG_FILE]: READ_WRITE,
  [STORE_INDEX_FILE]: READ_WRITE,
  [SERVER_KEY_FILE]: constants.R_OK,
};
/** A starting server has recovered its store by then. */
const SETTLE_MS_MAX = 10_000;
const ON_FULL_DISK =
  'Mail is answered 452 and other writes are refused; reads still work. Delete messages or inboxes, or free space; ' +
  'mail is then accepted again automatically.';
/** Room for a new store and the first mails of a trap. */
const TEMPORARY_BYTES_MIN = 4 * 1024 ** 2;
const TEMPORARY_NAME = /^postern-(\d+)-[A-Za-z0-9]+$/;

export interface DataFolder {
  path: string;
  key: Uint8Array;
  /** Whether it is removed on exit. */
  isThrownAway: boolean;
  /** Whether it contained no store. */
  isNew: boolean;
  hasAccounts: boolean;
  /** The address of the store's oldest account, if it has one. */
  oldestEmail: string | null;
  /** For the operator, each in full sentences. */
  warnings: readonly string[];
  release(): void;
}

/** Opens and locks the folder, and creates it if needed. Null when another process has it. */
export async function openDataFolder(dataDir: string): Promise<DataFolder | null> {
  // A folder created by someone else may be open to everyone; the files in it must not be.
  process.umask(0o077);
  const isThrownAway = dataDir === TEMPORARY_FOLDER;
  const path = isThrownAway ? await makeTemporaryFolder() : resolve(dataDir);
  if (!isThrownAway) {
    makeUsable(path);
    for (const [name, mode] of Object.entries(ownFiles)) refuseRights(path, join(path, name), mode);
  }
  const lock = await lockFolder(path).catch((fault: unknown) => {
    throw explainFault(fault, path);
  });
  if (!lock) return null;
  try {
    const warnings: string[] = [];
    // A store can't be opened without free space.
    if (!isThrownAway && new Reserve(path).prepareStart())
      warnings.push(`The disk of ${path} is full. ${ON_FULL_DISK}`);
    const look = prepareStore(path, warnings);
    const hasAccounts = look?.hasAccounts === true;
    const key = loadServerKey(path, hasAccounts, warnings);
    let isReleased = false;
    return {
      path,
      key,
      isThrownAway,
      warnings,
      isNew: look === null,
      hasAccounts,
      oldestEmail: look?.oldestEmail ?? null,
      release() {
        // Called again when the process exits; the folder may belong to another process by then.
        if (isReleased) return;
        isReleased = true;
        release(path, lock, isThrownAway);
      },
    };
  } catch (fault) {
    // Before the release, which may free space.
    const explained = explainFault(fault, path);
    release(path, lock, isThrownAway);
    throw explained;
  }
}

/** Returns the error to report, which names a full disk if that is the cause. */
function explainFault(fault: unknown, path: string): unknown {
  const reason = explainFullDisk(fault, path);
  return reason === null ? fault : new OperatorError(reason);
}

/** Completes a restore that a crash interrupted, and inspects the store. The caller holds the folder's lock. */
function prepareStore(path: string, warnings: string[]): StoreLook | null {
  const restored = finishRestore(path, systemClock.nowUs());
  if (restored) {
    const kept = restored.kept === null ? '' : ` The previous store is kept in ${restored.kept}.`;
    warnings.push(`An interrupted restore was completed.${kept}`);
  }
  return lookAtStore(join(path, STORE_FILE));
}

/** Throws if the folder has no store, so that a mistyped name creates none. Call it again once the folder is open. */
export function requireStore(dataDir: string): void {
  const path = resolve(dataDir);
  if (existsSync(join(path, STORE_FILE)) || isBeingReplaced(path)) return;
  throw new OperatorError(
    `There is no Postern store in ${path}. Set --data-dir (POSTERN_DATA_DIR) to the server's data folder; ` +
      'postern serve and postern account create create a new one.',
  );
}

/** Opens the store for a backup, whether a server runs or not. Call it as the folder's owner. */
export async function openForBackup(dataDir: string): Promise<BackupSource> {
  const path = resolve(dataDir);
  requireStore(path);
  const readKey = () => loadServerKey(path, true, []);
  const giveUpMs = performance.now() + SETTLE_MS_MAX;
  for (;;) {
    // Without a server, nothing has recovered the store after a crash. The lock is released at once, so that a server
    // can start during the copy.
    const lock = await lockFolder(path);
    try {
      if (lock) {
        new Reserve(path).prepareStart();
        prepareStore(path, []);
      }
    } finally {
      lock?.release();
    }
    try {
      const source = openBackupSource(path, readKey);
      if (source) return source;
    } catch (fault) {
      // A starting server is recovering the store.
      if (lock || performance.now() > giveUpMs) throw fault;
    }
    if (performance.now() > giveUpMs) {
      throw new OperatorError(`A restore is replacing the store in ${path}. Try again when it is done.`);
    }
    await Bun.sleep(50);
  }
}

/** Locks a folder for a restore. Throws while a server or a command has it. */
export async function openForRestore(dataDir: string): Promise<FolderLock> {
  process.umask(0o077);
  makeUsable(dataDir);
  const lock = await lockFolder(dataDir);
  if (!lock) {
    throw new OperatorError(
      `Another Postern is using the data folder ${dataDir}. Stop it first (systemctl stop postern); nothing was changed.`,
    );
  }
  try {
    finishRestore(dataDir, systemClock.nowUs());
    return lock;
  } catch (fault) {
    lock.release();
    throw fault;
  }
}

/** Returns whether a process has begun to use the folder, so that a store may appear there at any moment. */
export function wasOpened(dataDir: string): boolean {
  return existsSync(join(resolve(dataDir), LOCK_FILE));
}

function release(path: string, lock: FolderLock, isThrownAway: boolean): void {
  if (!isThrownAway) new Reserve(path).keepForStart();
  lock.release();
  if (isThrownAway) rmSync(path, { recursive: true, force: true });
}

function makeUsable(path: string): void {
  try {
    makeFolder(path);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (fault) {
    throw new OperatorError(
      `The data folder ${path} can't be used: ${readReason(fault)}. ${describeRemedy(path, fault)}`,
    );
  }
}

/** Throws if a file can't be used, as in a folder that another user copied. SQLite would not say which file or why. */
function refuseRights(folder: string, file: string, mode: number): void {
  const there = statSync(file, { throwIfNoEntry: false });
  if (!there) return;
  try {
    accessSync(file, mode);
  } catch (fault) {
    const user = process.getuid?.();
    const remedy =
      there.uid === user
        ? `Its mode is ${(there.mode & 0o777).toString(8)}: run chmod 600 on it.`
        : `It belongs to user ${there.uid}, and Postern runs as user ${user}: run chown -R ${user} ${folder}.`;
    throw new OperatorError(`${file} can't be used: ${readReason(fault)}. ${remedy}`);
  }
}

/** In containers, both are common: a volume that belongs to another user, and one that is mounted read-only. */
function describeRemedy(path: string, fault: unknown): string {
  const code = readCode(fault);
  if (code === 'EROFS') return 'Mount a writable volume there, or set POSTERN_DATA_DIR to another folder.';
  const target = readDeadLink(path);
  if (target !== null)
    return `It is a link to ${target}, where no folder is: mount its disk, or set POSTERN_DATA_DIR to another folder.`;
  const there = statSync(path, { throwIfNoEntry: false });
  const user = process.getuid?.();
  if (code === 'EACCES' && there && user !== undefined && there.uid !== user) {
    return `It belongs to user ${there.uid}, and Postern runs as user ${user}: run chown -R ${user} on it, or set POSTERN_DATA_DIR to a folder of this user.`;
  }
  return 'Set POSTERN_DATA_DIR to a folder of this user.';
}

/** Returns where a link leads, if nothing is there; null for anything else. */
function readDeadLink(path: string): string | null {
  if (existsSync(path)) return null;
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

/** Reads the key, or creates it at the first start. Without it, sealed data can never be opened again. */
function loadServerKey(folder: string, isNeeded: boolean, warnings: string[]): Uint8Array {
  const file = join(folder, SERVER_KEY_FILE);
  let key: Uint8Array;
  try {
    key = readStart(file, SERVER_KEY_BYTES + 1);
  } catch (fault) {
    if (readCode(fault) !== 'ENOENT') {
      throw new OperatorError(`The server's key ${file} can't be read: ${readReason(fault)}.`);
    }
    if (isNeeded) {
      throw new OperatorError(
        `The server's key ${file} is missing, but the store beside it has accounts: secrets sealed with the key (of ` +
          'webhooks, and DKIM keys) would be lost. Restore server.key from a backup, or move postern.db, with its ' +
          '-wal and -shm files, away to start with an empty store and a new key.',
      );
    }
    key = randomBytes(SERVER_KEY_BYTES);
    // The file is complete or absent, even after a power cut.
    addFile(file, key);
  }
  if (key.length !== SERVER_KEY_BYTES) {
    throw new OperatorError(
      `The server's key ${file} has ${statSync(file).size} bytes instead of ${SERVER_KEY_BYTES}. Restore it from a ` +
        'backup. If you remove it, a new one is created, and what the old one sealed (webhook secrets, DKIM keys) is lost.',
    );
  }
  hide(file, warnings);
  return key;
}

function hide(file: string, warnings: string[]): void {
  const mode = statSync(file).mode & 0o777;
  if ((mode & 0o077) === 0) return;
  const seen = `The server's key ${file} was accessible to other users (mode ${mode.toString(8)})`;
  try {
    chmodSync(file, 0o600);
    warnings.push(`${seen}; its mode is now 600.`);
  } catch (fault) {
    warnings.push(`${seen}, and that can't be changed: ${readReason(fault)}.`);
  }
}

/** Creates a temporary folder, in memory if there is room, else on a disk. First removes those of killed processes. */
async function makeTemporaryFolder(): Promise<string> {
  const places = ['/dev/shm', tmpdir(), process.cwd()].filter(isWritable);
  for (const each of places) await removeStale(each);
  const place = places.find((one) => freeBytes(one) >= TEMPORARY_BYTES_MIN) ?? places[0];
  if (!place)
    throw new OperatorError(`No writable folder found; tried /dev/shm, ${tmpdir()} and the current folder.`);
  return mkdtempSync(join(place, `postern-${process.pid}-`));
}

async function removeStale(place: string): Promise<void> {
  for (const name of readdirSync(place)) {
    const pid = TEMPORARY_NAME.exec(name)?.[1];
    if (pid === undefined || Number(pid) === process.pid || isAlive(Number(pid))) continue;
    const folder = join(place, name);
    try {
      // Its process may be alive in another pid namespace. It then holds the lock.
      const lock = await lockFolder(folder);
      if (!lock) continue;
      lock.release();
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // It belongs to another user, or has been removed meanwhile.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return readCode(fault) !== 'ESRCH';
  }
}

function isWritable(place: string): boolean {
  try {
    accessSync(place, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the free bytes on the folder's disk. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
