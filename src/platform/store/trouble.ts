import { existsSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { QUOTA_USED_UP } from './thread.ts';

/*
 * Why the store can't be written, for the operator. A full disk is reported elsewhere (platform/store/reserve.ts).
 */

/** By SQLite's code; the first that fits. */
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

/** Null for what is not SQLite's, and for a full disk. */
export function describeTrouble(thrown: unknown): string | null {
  const { code, message } = thrown as { code?: unknown; message?: string };
  if (typeof code !== 'string' || !code.startsWith('SQLITE_') || code === 'SQLITE_FULL') return null;
  const remedy = remedies.find(([pattern]) => pattern.test(code))?.[1];
  return `${message} (${code})${remedy ? `; ${remedy}` : ''}`;
}

/** Whether a write or an fsync may have failed. */
export function isDiskFault(thrown: unknown): boolean {
  return String((thrown as { code?: unknown } | null)?.code).startsWith('SQLITE_IOERR');
}

/** Names the error of a write that a quota has refused. `isOverQuota` asks the system, and only after such an error. */
export function nameQuota(thrown: unknown, isOverQuota: () => boolean): unknown {
  const code = String((thrown as { code?: unknown } | null)?.code);
  if (!/^SQLITE_IOERR_(WRITE|FSYNC|TRUNCATE|SHMSIZE)/.test(code) || !isOverQuota()) return thrown;
  return Object.assign(new Error('the disk quota of the data folder is used up'), { code: QUOTA_USED_UP });
}

const OPEN_FILES = '/proc/self/fd';
/** Looking takes 10 to 30 microseconds. What is acknowledged until the next look is folded into the store then. */
const LOOK_EVERY_MS = 100;

interface OpenFile {
  path: string;
  dev: number;
  ino: number;
}

/**
 * The files of an open store. When they are moved, replaced or deleted, SQLite goes on with them without an error,
 * and no later start finds what it writes.
 */
export class OwnFiles {
  private opened: OpenFile[] = [];
  private nextMs = 0;
  /** The write-ahead log: beside the file that a link leads to. */
  readonly log: string;

  constructor(private readonly file: string) {
    this.log = `${realpathSync(file)}-wal`;
    this.look();
  }

  get logBytes(): number {
    return statSync(this.log, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Throws SQLite's error for a moved database when a file is not where it was. SQLite itself does not look in WAL mode. */
  check(): void {
    if (performance.now() < this.nextMs) return;
    const moved = this.opened.find((one) => !isThere(one));
    const isReplaced = moved !== undefined && existsSync(moved.path);
    // Some network file systems change the numbers of files.
    if (isReplaced && isOpen(moved.path)) this.look();
    else if (moved) throw describeMove(moved.path, isReplaced);
    this.nextMs = performance.now() + LOOK_EVERY_MS;
  }

  private look(): void {
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
  const there = statSync(path, { throwIfNoEntry: false });
  return there?.ino === ino && there.dev === dev;
}

/** Whether this process has the file open that is at this path now. The kernel says where each open file is. */
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
    // Closed in the meantime.
    return '';
  }
}
