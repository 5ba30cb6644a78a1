import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { OperatorError } from './command.ts';

const noPermission = 'permission denied. Run the command as another user, or give another path.';
const noFolder = 'it exists and is not a folder. Give another path.';

const advice: Readonly<Record<string, string>> = {
  EACCES: noPermission,
  EPERM: noPermission,
  EIO: 'the disk fails (see dmesg). Replace it, or give another path.',
  EROFS: 'its file system is read-only. Give another path.',
  ENOTDIR: 'a part of its path is a file, not a folder. Give another path.',
  EISDIR: 'it is a folder, not a file. Give another path.',
  ENOSPC: 'there is no space left. Free disk space, or give another path.',
};

/** Explains an error of the file system, with what to do about it; null for any other error. */
export function explainFileFault(thrown: unknown): string | null {
  const { code = '', path, syscall } = thrown as NodeJS.ErrnoException;
  const text = code === 'EEXIST' && syscall === 'mkdir' ? noFolder : advice[code];
  return text !== undefined && path !== undefined ? `${path} can't be used: ${text}` : null;
}

/** Throws unless the folder of a file that is about to be written exists. */
export function requireParent(file: string): void {
  const parent = dirname(file);
  const there = statSync(parent, { throwIfNoEntry: false });
  if (there?.isDirectory()) return;
  throw new OperatorError(
    there
      ? `${parent} is not a folder. Give another path.`
      : `Folder ${parent} does not exist. Create it, or give another path.`,
  );
}

/** Throws unless there is something to read at this path. */
export function requireReadable(path: string): void {
  const there = statSync(path, { throwIfNoEntry: false });
  if (!there) throw new OperatorError(`File ${path} does not exist.`);
  if (there.isDirectory()) throw new OperatorError(`${path} is a folder. Give a file in it.`);
}
