import { randomFillSync } from 'node:crypto';
import { closeSync, existsSync, rmSync, statfsSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readCode } from '../core/thrown.ts';
import { createFile, writeAll, writeNew } from '../files/durable.ts';

/*
 * A file that only takes up space in the data folder. SQLite needs space even to open a store (32 KiB of shared memory) and to
 * delete rows (the write-ahead log), so a full disk could only be helped from outside. When the disk is full, the reserve is
 * removed, and its space is used to start the server and to delete messages. Only writes that free space, or that are needed
 * to get there, may use it (`onFullDisk` of an operation). Mail and everything else is refused until there is room to create the
 * reserve again.
 */

/** Four times the size at which the writer checkpoints the write-ahead log. */
const RESERVE_BYTES = 16 * 1024 ** 2;
/** At most a sixteenth of the disk: on a small one (a container's tmpfs) most space is left for mail. */
const DISK_SHARE = 16;
const RESERVE_BYTES_MIN = 1024 ** 2;
/** Measured: a start and its first writes need 130 KiB of log, and deleting 100 messages of 1 MB needs 440 KiB. */
const START_BYTES = 1024 ** 2;
/** Creating the reserve may fail for a quota although the disk has room, so it is not tried at every check. */
const TRY_AGAIN_MS = 60_000;
const PIECE_BYTES = 1024 ** 2;

export class Reserve {
  private readonly file: string;
  /** Holds the space for the next start while no process has the folder. */
  private readonly startFile: string;
  private wasSpent = false;
  private wasReleasedByQuota = false;
  private refusedAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly dataDir: string) {
    this.file = join(dataDir, 'reserve');
    this.startFile = join(dataDir, 'reserve.start');
  }

  /** Whether the reserve has been released and there is no room to create it again. Takes a few microseconds. */
  isSpent(): boolean {
    if (!this.isHeld()) return this.wasReleasedByQuota || this.freeBytes() < this.roomWantedBytes;
    this.wasReleasedByQuota = false;
    return false;
  }

  isHeld(): boolean {
    return existsSync(this.file);
  }

  /** Free space from which the reserve is created again, and mail is accepted. */
  get roomWantedBytes(): number {
    return 2 * this.sizeBytes;
  }

  /** Whether a quota is used up (isQuotaUsedUp). */
  isOverQuota(): boolean {
    return isQuotaUsedUp(this.dataDir);
  }

  /** Releases the reserve's space for operations on a full disk. Returns whether there was any. */
  release(): boolean {
    this.wasReleasedByQuota = false;
    if (!this.isHeld()) return false;
    rmSync(this.file, { force: true });
    return true;
  }

  /**
   * Releases the reserve's space when a quota is used up. The disk's free space says nothing about the quota, so the reserve
   * counts as spent until it can be created again.
   */
  releaseForQuota(): void {
    this.release();
    this.wasReleasedByQuota = true;
  }

  /** Returns how the disk's state has changed since the last call; null if it hasn't. */
  takeChange(): 'full' | 'room' | null {
    const isSpent = this.isSpent();
    if (isSpent === this.wasSpent) return null;
    this.wasSpent = isSpent;
    return isSpent ? 'full' : 'room';
  }

  /**
   * Makes room for opening the store if there is none. Call it under the folder's lock. Returns whether the disk is full.
   */
  prepareStart(): boolean {
    // The last two are left by a process that was killed while it wrote them.
    for (const file of [this.startFile, `${this.file}.new`, `${this.file}.quota`])
      rmSync(file, { force: true });
    if (this.freeBytes() < START_BYTES || isQuotaUsedUp(this.dataDir)) this.release();
    return this.isSpent();
  }

  /**
   * Keeps space for the next start. Call it under the folder's lock, after the store is closed. Closing removes the write-ahead
   * log. If the reserve is spent as well, another program could take that space, and the next start would fail.
   */
  keepForStart(): void {
    if (!this.isSpent()) return;
    try {
      const bytes = new Uint8Array(Math.min(START_BYTES, this.freeBytes()));
      writeNew(this.startFile, randomFillSync(bytes));
    } catch {
      // Whatever could be written holds its space, too.
    }
  }

  /** Creates the reserve when there is room. */
  async restore(): Promise<void> {
    if (this.isHeld() || this.isSpent()) return;
    if (performance.now() - this.refusedAtMs < TRY_AGAIN_MS) return;
    try {
      await placeRandomFile(this.file, this.sizeBytes);
    } catch {
      this.refusedAtMs = performance.now();
    }
  }

  private get sizeBytes(): number {
    const bytes = this.readDisk()?.bytes ?? Number.POSITIVE_INFINITY;
    return Math.max(RESERVE_BYTES_MIN, Math.min(RESERVE_BYTES, Math.floor(bytes / DISK_SHARE)));
  }

  private freeBytes(): number {
    return this.readDisk()?.freeBytes ?? Number.POSITIVE_INFINITY;
  }

  /** Null if the folder is gone or its disk fails: the next commit then reports the error. */
  private readDisk(): { bytes: number; freeBytes: number } | null {
    try {
      const { blocks, bavail, bsize } = statfsSync(this.dataDir);
      return { bytes: blocks * bsize, freeBytes: bavail * bsize };
    } catch {
      return null;
    }
  }
}

/** Fills a file with random bytes: a file system that compresses would store zeros in no space. */
async function placeRandomFile(file: string, bytes: number): Promise<void> {
  const fresh = `${file}.new`;
  let handle: FileHandle | undefined;
  try {
    handle = await open(fresh, 'w', 0o600);
    const piece = new Uint8Array(PIECE_BYTES);
    for (let left = bytes; left > 0; left -= PIECE_BYTES) {
      randomFillSync(piece);
      await handle.writeFile(piece.subarray(0, left));
    }
    // Some file systems allocate the space only now.
    await handle.sync();
    await handle.close();
    handle = undefined;
    await rename(fresh, file);
  } catch (fault) {
    await handle?.close().catch(() => {});
    await rm(fresh, { force: true });
    throw fault;
  }
}

/**
 * Whether the quota of the folder is used up, although its disk may have room. Tries to write 1 MiB, because only the system's
 * answer says so: to SQLite it is an I/O error, as if the disk failed.
 */
export function isQuotaUsedUp(dataDir: string): boolean {
  const file = join(dataDir, 'reserve.quota');
  let descriptor: number | undefined;
  try {
    rmSync(file, { force: true });
    descriptor = createFile(file);
    // Not flushed, because every start does this. The quota is checked when the space is allocated.
    writeAll(descriptor, randomFillSync(new Uint8Array(START_BYTES)));
    return false;
  } catch (fault) {
    return readCode(fault) === 'EDQUOT';
  } finally {
    if (descriptor !== undefined) {
      closeSync(descriptor);
      rmSync(file, { force: true });
    }
  }
}

/** Explains an error that a full disk or a used-up quota has caused, with a remedy. Null for any other cause. */
export function explainFullDisk(fault: unknown, dataDir: string): string | null {
  const { code = '', message = String(fault) } = fault as { code?: string; message?: string };
  const isNamed =
    /^(ENOSPC|EDQUOT|SQLITE_FULL)/.test(code) || /ENOSPC|EDQUOT|disk is full|SQLITE_FULL/.test(message);
  const isVague = !isNamed && /disk I\/O error|unable to open/.test(message);
  if (/EDQUOT|QUOTA/.test(code) || /EDQUOT/.test(message) || (isVague && isQuotaUsedUp(dataDir)))
    return (
      `The quota of the data folder ${dataDir} is used up, and nothing was changed in the store. Raise it, or free at ` +
      `least ${RESERVE_BYTES / 1024 ** 2} MiB of it (old backups, migration-copy/), then start again.`
    );
  if (!isNamed && !(isVague && hasNoRoom(dataDir))) return null;
  const { files, ffree } = statfsSync(dataDir);
  if (files > 0 && ffree === 0) {
    return (
      `The disk of the data folder ${dataDir} can hold no more files (no free inodes), and nothing was ` +
      'changed in the store. Remove unneeded files there (df -i shows the inodes in use), then start again.'
    );
  }
  return (
    `The disk of the data folder ${dataDir} is full, and nothing was changed in the store. Free at least ` +
    `${RESERVE_BYTES / 1024 ** 2} MiB there (other programs' files, old backups, migration-copy/), then start again.`
  );
}

function hasNoRoom(dataDir: string): boolean {
  const { bavail, bsize, files, ffree } = statfsSync(dataDir);
  return bavail * bsize < START_BYTES || (files > 0 && ffree === 0);
}
