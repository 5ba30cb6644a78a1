/** A disk of 48 MiB with few inodes, to be filled up: a tmpfs, which only root can mount. */
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Disk extends Disposable {
  path: string;
  /** Leaves this many bytes free. */
  fill(bytesLeft: number, name?: string): void;
  /** Removes what `fill` has written under its usual name. */
  empty(): void;
}

/** Mounts a disk of its own for a test, until the end of the block. */
export function mountDisk(): Disk {
  const path = mkdtempSync(join(tmpdir(), 'postern-full-'));
  const command = ['mount', '-t', 'tmpfs', '-o', 'size=48m,nr_inodes=400', 'tmpfs', path];
  try {
    const { exitCode } = Bun.spawnSync(command, { stdout: 'ignore', stderr: 'ignore' });
    if (exitCode !== 0) throw new Error('no tmpfs can be mounted here');
  } catch (fault) {
    rmSync(path, { recursive: true });
    throw fault;
  }
  return {
    path,
    fill(bytesLeft, name = 'filler') {
      const file = join(path, name);
      rmSync(file, { force: true });
      const { bavail, bsize } = statfsSync(path);
      writeFileSync(file, new Uint8Array(Math.max(0, bavail * bsize - bytesLeft)));
    },
    empty: () => rmSync(join(path, 'filler'), { force: true }),
    [Symbol.dispose]() {
      Bun.spawnSync(['umount', '-l', path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
}

export const canMountDisk = tryMount();

function tryMount(): boolean {
  try {
    mountDisk()[Symbol.dispose]();
    return true;
  } catch {
    return false;
  }
}
