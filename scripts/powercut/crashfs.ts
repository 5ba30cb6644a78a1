/** Runs crashfs as a process: a mount with a log of every change, into which marks are written. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Mark } from './promises.ts';
import type { Workplace } from './workplace.ts';

/** Duration of an fsync, long enough for other writes to happen during it. */
const SYNC_DELAY = '1ms';
const MOUNT_MS_MAX = 10_000;

/** Thrown if this machine does not permit the mount. */
export class MountRefused extends Error {}

export class CrashFs {
  private constructor(
    readonly mount: string,
    readonly log: string,
    private readonly socket: string,
    private readonly child: Bun.Subprocess,
  ) {}

  /** Mounts it. Files that are already in `backing` count as on the disk. */
  static async mount(executable: string, work: Workplace, name: string, backing: string): Promise<CrashFs> {
    const dir = work.folder(name);
    const mount = work.mountPoint(join(name, 'mnt'));
    const [log, socket] = [join(dir, 'changes.log'), join(dir, 'control.sock')];
    const options = ['-backing', backing, '-mount', mount, '-log', log, '-control', socket];
    const child = Bun.spawn([executable, ...options, '-sync-delay', SYNC_DELAY], {
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const giveUp = setTimeout(() => child.kill('SIGKILL'), MOUNT_MS_MAX);
    const first = await child.stdout.getReader().read();
    clearTimeout(giveUp);
    if (first.done || !existsSync(socket)) {
      const said = (await new Response(child.stderr).text()).trim().split('\n').slice(-2).join('; ');
      throw new MountRefused(
        `this user may not mount a FUSE file system (root may, or fusermount3): ${said}`,
      );
    }
    return new CrashFs(mount, log, socket, child);
  }

  async mark(mark: Mark): Promise<void> {
    await this.post('mark', JSON.stringify(mark));
  }

  /** Unmounts it. The log is complete afterwards. */
  async unmount(): Promise<void> {
    await this.post('flush');
    this.child.kill('SIGTERM');
    if ((await this.child.exited) !== 0) throw new Error('crashfs did not stop properly');
  }

  private async post(path: string, body?: string): Promise<void> {
    const answer = await fetch(`http://crashfs/${path}`, { method: 'POST', body, unix: this.socket });
    if (!answer.ok) throw new Error(`crashfs answered ${answer.status} to ${path}`);
    await answer.arrayBuffer();
  }
}
