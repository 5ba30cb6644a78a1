/** What install.sh finds on a machine, to tell whether a second run would do the same as an earlier one. */
import { constants, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Describes all files in a folder that are not left out. install.sh does the same where the files are the same. */
export function describeFiles(folder: string, isLeftOut = (_name: string) => false): string {
  const names = readdirSync(folder, { recursive: true }) as string[];
  const kept = names.filter((name) => !isLeftOut(name)).sort();
  return kept.map((name) => describeFile(join(folder, name), name)).join('\n');
}

function describeFile(path: string, name: string): string {
  const { mode, nlink, uid, gid } = lstatSync(path);
  const kind = mode & constants.S_IFMT;
  const content =
    kind === constants.S_IFREG
      ? Bun.hash(readFileSync(path))
      : kind === constants.S_IFLNK
        ? readlinkSync(path)
        : '';
  // The folder of a download has a random name.
  return [name.replace(/(postern-install)\.\w{6}/, '$1'), mode, nlink, uid, gid, content].join(' ');
}
