import { existsSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { readCode, readReason } from '../core/thrown.ts';
import { QUOTA_USED_UP } from './thread.ts';

/*
 * Why the store can't be written, for the operator. A full disk is reported elsewhere (platform/store/reserve.ts).
 */

/** By SQLite's code; the first that matches applies. */
const remedies: readonly (readonly [RegExp, string])[] = [
  [/QUOTA/, 'raise it, delete messages or free space in the data folder'],
  [
    /DBMOVED/,
    'move the data folder back to where it was; if it is lost, restart Postern, which uses what is there now',
  ],
  [/BUSY|LOCKED/, 'another program has locked postern.db: end it (fuser names it)'],
  [/READONLY|CANTOPEN/, 'make the data folder and its file system writable for the user of Postern'],
  [/NOMEM/, 'the machine is out of memory'],
  // SQLite reports a read that failed as SQLITE_CORRUPT.
  [
    /IOERR|CORRUPT/,
    'the disk fails, has failed or is mounted read-only (see dmesg): make it writable, run postern doctor, and keep a backup elsewhere',
  ],
];

/** Describes an error of SQLite for the operator, with a remedy. Null for any other error, and for a full disk. */
export function describeTrouble(thrown: unknown): string | null {
  const { code, message } = thrown as { code?: unknown; message?: string };
  if (typeof code !== 'string' || !code.startsWith('SQLITE_') || code === 'SQLITE_FULL') return null;
  const remedy = remedies.find(([pattern]) => pattern.test(code))?.[1];
  return `${message} (${code})${remedy ? `; ${remedy}` : ''}`;
}

/** Whether the error may be a failed write or fsync, so that parts of the log may not be on the disk. */
export function isDiskFault(thrown: unknown): boolean {
  return readCode(thrown).startsWith('SQLITE_IOERR');
}

/**
 * Replaces SQLite's error of a failed write by one that names the quota, if that is the cause. `isOverQuota` checks it, and is
 * called only after such an error.
 */
export function nameQuota(thrown: unknown, isOverQuota: () => boolean): unknown {
  const isWrite = /^SQLITE_IOERR_(WRITE|FSYNC|TRUNCATE|SHMSIZE)/.test(readCode(thrown));
  if (!isWrite || !isOverQuota()) return thrown;
  return Object.assign(new Error('the disk quota of the data folder is used up'), { code: QUOTA_USED_UP });
}

const OPEN_FILES = '/proc/self/fd';
/**
 * A check takes 10 to 30 microseconds. Writes that are acknowledged between a move and the next check are not lost as long as
 * the store has its name: that check makes the writer copy its log into the store.
 */
const CHECK_EVERY_MS = 100;

interface OpenFile {
  path: string;
  dev: number;
  ino: number;
}

/**
 * The files of an open store. If they are moved, replaced or deleted, SQLite keeps writing to them without an error, and no
 * later start finds what it wrote.
 */
export class OwnFiles {
  private opened: OpenFile[] = [];
  private nextMs = 0;
  /** Path of the write-ahead log. If the store is a symbolic link, the log is beside its target. */
  readonly log: string;

  constructor(private readonly file: string) {
    this.log = `${realpathSync(file)}-wal`;
    this.noteFiles();
  }

  get logBytes(): number {
    return statSync(this.log, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Throws SQLite's error for a moved database if a file is not where it was. SQLite itself doesn't check that in WAL mode. */
  check(): void {
    if (performance.now() < this.nextMs) return;
    const moved = this.opened.find((one) => !isThere(one));
    const isReplaced = moved !== undefined && existsSync(moved.path);
    // Some network file systems give a file another inode number while it is open.
    if (isReplaced && isOpen(moved.path)) this.noteFiles();
    else if (moved) throw describeMove(moved.path, isReplaced);
    this.nextMs = performance.now() + CHECK_EVERY_MS;
  }

  private noteFiles(): void {
    const paths = [this.file, this.log, this.log.replace(/wal$/, 'shm')];
    this.opened = paths.flatMap((path) => {
      const there = statSync(path, { throwIfNoEntry: false });
      return there ? [{ path, dev: there.dev, ino: there.ino }] : [];
    });
  }
}

function describeMove(path: string, isReplaced: boolean): Error {
  const text = `${basename(path)} was ${isReplaced ? 'replaced by another file' : 'moved or deleted'} while it was open`;
  return Object.assign(new Error(text), { code: 'SQLITE_READONLY_DBMOVED' });
}

function isThere({ path, dev, ino }: OpenFile): boolean {
  const there = look(path);
  return there?.ino === ino && there.dev === dev;
}

/** Returns undefined if there is no file. On a disk that fails, even a look at one can fail. */
function look(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (fault) {
    const text = `${basename(path)} can't be looked at: ${readReason(fault)}`;
    throw Object.assign(new Error(text, { cause: fault }), { code: 'SQLITE_IOERR_FSTAT' });
  }
}

/** Whether this process has the file open that is at this path now (proc(5), /proc/pid/fd). */
function isOpen(path: string): boolean {
  try {
    const real = realpathSync(path);
    return readdirSync(OPEN_FILES).some((name) => readLink(`${OPEN_FILES}/${name}`) === real);
  } catch {
    return false;
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // It was closed in the meantime.
    return '';
  }
}
