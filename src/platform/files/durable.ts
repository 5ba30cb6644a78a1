/**
 * The one module that creates files and folders that must survive a power cut. Without a flush, a file system may
 * write changes in any order: after a power cut, a renamed file can be empty, and a new folder can be gone with its
 * contents. So a file's content is flushed before the file gets its final name, and its folder is flushed after that.
 * Files are created, and never opened for writing (except by `openEmpty` and `writeAgain`), so that a link that
 * somebody planted under the name is not followed (O_EXCL, O_NOFOLLOW).
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { readCode } from '../core/thrown.ts';

const COPY_BYTES = 1024 ** 2;
/** Attempts of `openEmpty`: enough for other processes that come and go in the meantime. */
const ATTEMPTS_MAX = 10;

/** Flushes the content of a file. */
export function flushFile(file: string): void {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Flushes the names in a folder. */
export function flushFolder(folder: string): void {
  let descriptor: number;
  try {
    descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  } catch (fault) {
    // A folder that this user may write to but not read (mode 0733) can't be flushed.
    if (readCode(fault) === 'EACCES') return;
    throw fault;
  }
  try {
    fsyncSync(descriptor);
  } catch (fault) {
    // Some network file systems can't flush a folder.
    if (!/^(EINVAL|ENOTSUP|EOPNOTSUPP)$/.test(readCode(fault))) throw fault;
  } finally {
    closeSync(descriptor);
  }
}

/** Creates a folder and its missing parents, which only this user can open. Throws if the path is a file. */
export function makeFolder(path: string): void {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.push(at);
  for (const folder of missing.reverse()) {
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (fault) {
      // Another process may have created it meanwhile. A dangling link exists too, but is not a folder.
      if (readCode(fault) !== 'EEXIST' || !isFolder(folder)) throw fault;
    }
    flushFolder(dirname(folder));
  }
  mkdirSync(path, { recursive: true });
}

/** Creates a file and returns its descriptor. Throws if the name exists, even as a link. */
export function createFile(file: string, mode = 0o600): number {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  return openSync(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
}

/** Writes all bytes: on an almost full disk, one call may write only some of them. */
export function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
}

/** Creates a file with this content and flushes it. Its name survives a power cut only once the folder is flushed. */
export function writeNew(file: string, bytes: Uint8Array, mode = 0o600): void {
  fill(createFile(file, mode), (descriptor) => writeAll(descriptor, bytes));
}

/** Creates a file with the content of an open one and flushes it, like writeNew. */
export function copyNew(from: number, file: string): void {
  fill(createFile(file), (descriptor) => {
    const buffer = Buffer.allocUnsafe(COPY_BYTES);
    for (let at = 0; ; ) {
      const count = readSync(from, buffer, 0, COPY_BYTES, at);
      if (count === 0) return;
      writeAll(descriptor, buffer.subarray(0, count));
      at += count;
    }
  });
}

/** Returns false when another process has the lock, or the file system has no locks. */
type Lock = (descriptor: number, isShared: boolean) => boolean;

/**
 * Creates an empty file, or empties the one with this name, and returns its descriptor. The file is locked while that
 * is open. Returns null if another process has the lock. A link under the name is removed, not followed.
 */
export function openEmpty(path: string, lock: Lock): number | null {
  const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const there = lstatSync(path, { throwIfNoEntry: false });
    // Another file may have this as its second name, and would be emptied too.
    if (there && (!there.isFile() || there.nlink > 1)) rmSync(path);
    const descriptor = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
    if (!lock(descriptor, false) && canLock(dirname(path), lock)) {
      closeSync(descriptor);
      return null;
    }
    // The process that had the lock may just have renamed this file.
    const { ino, nlink } = fstatSync(descriptor);
    if (nlink === 1 && lstatSync(path, { throwIfNoEntry: false })?.ino === ino) {
      ftruncateSync(descriptor, 0);
      return descriptor;
    }
    closeSync(descriptor);
  }
  return null;
}

/** Whether the file system has locks at all; some network file systems don't. Nobody else locks the folder. */
function canLock(folder: string, lock: Lock): boolean {
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return lock(descriptor, true);
  } finally {
    closeSync(descriptor);
  }
}

/** Reads the first bytes of a regular file. Throws for a pipe or a device, which might block or never end. */
export function readStart(file: string, maxBytes: number): Uint8Array {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error('it is not a regular file');
    const buffer = new Uint8Array(maxBytes);
    return buffer.subarray(0, readSync(descriptor, buffer));
  } finally {
    closeSync(descriptor);
  }
}

/** Creates or replaces a file in one step. */
export function placeFile(file: string, bytes: Uint8Array, mode = 0o600): void {
  const fresh = `${file}.new`;
  rmSync(fresh, { force: true });
  writeNew(fresh, bytes, mode);
  move(fresh, file);
}

/** Creates a file that only its owner may read, in one step. Throws EEXIST if it exists. */
export function addFile(file: string, bytes: Uint8Array): void {
  const fresh = `${file}.new`;
  rmSync(fresh, { force: true });
  writeNew(fresh, bytes);
  try {
    linkSync(fresh, file);
  } finally {
    unlinkSync(fresh);
  }
  flushFolder(dirname(file));
}

/** Renames a flushed file, or a folder whose content is flushed, and flushes the folders of both names. */
export function move(from: string, to: string): void {
  renameSync(from, to);
  flushFolder(dirname(to));
  if (dirname(from) !== dirname(to)) flushFolder(dirname(from));
}

/** Renames without a flush. For many files in one folder, which the caller flushes after the last. */
export function moveUnflushed(from: string, to: string): void {
  renameSync(from, to);
}

/** Gives a file a second name. Moves it if the file system or the user's rights don't allow two. */
export function linkOrMove(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (fault) {
    if (!/^(EPERM|EMLINK|ENOTSUP|EOPNOTSUPP|ENOSYS)$/.test(readCode(fault))) throw fault;
    renameSync(from, to);
  }
}

function fill(descriptor: number, write: (descriptor: number) => void): void {
  try {
    write(descriptor);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/**
 * Writes a file's bytes over themselves and flushes them, so that they are on the disk, whatever the system believes.
 *
 * @param blank a range that becomes zeros, if it is within the file.
 */
export function writeAgain(file: string, blank?: { at: number; bytes: number }): void {
  const descriptor = openSync(file, constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    if (blank && fstatSync(descriptor).size >= blank.at + blank.bytes)
      writeSync(descriptor, Buffer.alloc(blank.bytes), 0, blank.bytes, blank.at);
    const piece = Buffer.alloc(COPY_BYTES);
    for (let at = 0; ; ) {
      const length = readSync(descriptor, piece, 0, piece.length, at);
      if (length === 0) break;
      let written = 0;
      while (written < length)
        written += writeSync(descriptor, piece, written, length - written, at + written);
      at += length;
    }
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
