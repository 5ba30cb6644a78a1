/** A folder in memory for recordings and replays, which is removed at the end, even if the run is interrupted. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOM_BYTES = 1.5e9;

export class Workplace implements Disposable {
  private readonly mounts: string[] = [];
  private readonly onSignal = () => {
    this[Symbol.dispose]();
    process.exit(130);
  };

  /** After an uncaught exception. */
  private readonly onExit = () => this[Symbol.dispose]();

  private constructor(readonly dir: string) {
    process.once('SIGINT', this.onSignal);
    process.once('SIGTERM', this.onSignal);
    process.once('exit', this.onExit);
  }

  /** On a tmpfs: Postern syncs often, and a replay does not test this machine's disk. */
  static open(): Workplace {
    const shared = '/dev/shm';
    const hasRoom = existsSync(shared) && freeBytes(shared) > ROOM_BYTES;
    const work = new Workplace(mkdtempSync(join(hasRoom ? shared : tmpdir(), 'postern-powercut-')));
    if (!hasRoom) {
      // Without permission to mount, the folder itself will do.
      const mount = ['mount', '-t', 'tmpfs', '-o', 'size=2g', 'tmpfs', work.dir];
      if (Bun.spawnSync(mount, { stderr: 'ignore' }).exitCode === 0) work.mounts.push(work.dir);
    }
    return work;
  }

  folder(name: string): string {
    const path = join(this.dir, name);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  }

  /** A mount point that is unmounted at the end, whatever happens. */
  mountPoint(name: string): string {
    const path = this.folder(name);
    this.mounts.unshift(path);
    return path;
  }

  [Symbol.dispose](): void {
    process.off('SIGINT', this.onSignal);
    process.off('SIGTERM', this.onSignal);
    process.off('exit', this.onExit);
    for (const mount of this.mounts) {
      if (mount !== this.dir) Bun.spawnSync(['umount', '-l', mount], { stderr: 'ignore' });
    }
    // Only this process's own children: servers, and crashfs.
    for (const pid of listChildren(process.pid)) killQuietly(pid);
    if (this.mounts.includes(this.dir)) Bun.spawnSync(['umount', '-l', this.dir], { stderr: 'ignore' });
    rmSync(this.dir, { recursive: true, force: true });
  }
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

function listChildren(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    const list = readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8');
    return list.split(' ').filter(Boolean).map(Number);
  });
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
