/** `postern backup FILE --keep N` loses no good backup, whatever fails and whatever is in the folder. */
import { afterAll, describe, expect, test } from 'bun:test';
import {
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { program } from '../../program.ts';
import { setMadeAt } from '../../store-file.ts';
import { environment, postern, posternJson } from './command-process.ts';
import { temporaryFolder } from './folder.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const env = { POSTERN_DATA_DIR: join(folder.path, 'data'), POSTERN_DISK_FLOOR: '0' };
await posternJson(['account', 'create', '--email', 'ann@example.com'], env);

let folders = 0;

/** Makes a folder for backups with the name p.db. */
function makeShelf() {
  const path = join(folder.path, `shelf-${folders++}`);
  mkdirSync(path);
  const file = join(path, 'p.db');
  const command = (keep: number) => ['backup', file, '--keep', `${keep}`];
  return {
    path,
    file,
    back: (keep: number) => posternJson<{ deleted: string[] }>(command(keep), env),
    tryBack: (keep: number) => postern(command(keep), env),
    start: (keep: number) =>
      Bun.spawn([...program, ...command(keep)], { env: environment(env), stdout: 'ignore', stderr: 'pipe' }),
    list: () => readdirSync(path).sort(),
    at: (name: string) => join(path, name),
    /** Fails unless every backup can be restored. */
    async restoreAll() {
      for (const name of readdirSync(path)) {
        const into = { ...env, POSTERN_DATA_DIR: join(path, '..', `restored-${folders++}`) };
        expect(await posternJson(['restore', join(path, name)], into)).toMatchObject({ accounts: 1 });
      }
    },
  };
}

const KEPT = /^p-\d{8}T\d{12}Z\.db$/;
/** Formats a time as it is in the name of a rotated backup. */
const nameAt = (iso: string) => `p-${iso.replace(/[-:.]/g, '')}.db`;
const toUs = (iso: string) => Date.parse(iso) * 1_000;

describe('--keep', () => {
  test('keeps the newest backups, the latest under the given name, and each can be restored', async () => {
    const shelf = makeShelf();
    for (const _ of [1, 2, 3]) expect((await shelf.back(3)).deleted).toEqual([]);
    const before = shelf.list();
    expect(before).toEqual([expect.stringMatching(KEPT), expect.stringMatching(KEPT), 'p.db']);
    const { deleted } = await shelf.back(3);
    expect(deleted).toEqual([shelf.at(before[0]!)]);
    expect(shelf.list()).toHaveLength(3);
    await shelf.restoreAll();
    expect((await shelf.back(1)).deleted).toHaveLength(3);
    expect(shelf.list()).toEqual(['p.db']);
  });

  test('accepts only a whole number', async () => {
    for (const wrong of ['0', '-1', 'x', '1001', '1.5']) {
      const { status, stderr } = await postern(['backup', makeShelf().file, `--keep=${wrong}`], env);
      expect([wrong, status]).toEqual([wrong, 2]);
      expect(stderr).toContain('--keep must be a whole number from 1 to 1000');
    }
  });

  test('deletes backups that a wrong clock dated in the future before any good one', async () => {
    const shelf = makeShelf();
    await shelf.back(3);
    setMadeAt(shelf.file, toUs('2093-01-01T00:00:00.000Z'));
    for (const _ of [1, 2]) await shelf.back(3);
    const future = nameAt('2093-01-01T00:00:00.000000Z');
    expect(shelf.list()).toContain(future);
    const { deleted } = await shelf.back(3);
    expect(deleted).toEqual([shelf.at(future)]);
    expect(shelf.list()).toHaveLength(3);
  });

  test('judges the age of a backup by when it was created, not by its name', async () => {
    const shelf = makeShelf();
    for (const _ of [1, 2]) await shelf.back(3);
    const [oldest = ''] = shelf.list();
    renameSync(shelf.at(oldest), shelf.at(nameAt('2025-01-01T00:00:00.000000Z')));
    copyFileSync(shelf.file, shelf.at(nameAt('2024-01-01T00:00:00.000000Z')));
    const { deleted } = await shelf.back(3);
    expect(deleted).toEqual([shelf.at(nameAt('2025-01-01T00:00:00.000000Z'))]);
  });

  test('keeps the same number after the clock was set back, when all seem to be from the future', async () => {
    const shelf = makeShelf();
    for (const year of [2091, 2092, 2093]) {
      await shelf.back(3);
      setMadeAt(shelf.file, toUs(`${year}-01-01T00:00:00.000Z`));
    }
    const { deleted } = await shelf.back(3);
    expect(deleted).toEqual([shelf.at(nameAt('2091-01-01T00:00:00.000000Z'))]);
    expect(shelf.list()).toHaveLength(3);
  });

  test('keeps both of two backups from the same moment', async () => {
    const shelf = makeShelf();
    await shelf.back(5);
    await shelf.back(5);
    setMadeAt(shelf.file, toUs('2026-01-01T00:00:00.000Z'));
    await shelf.back(5);
    setMadeAt(shelf.file, toUs('2026-01-01T00:00:00.000Z'));
    await shelf.back(5);
    expect(shelf.list()).toHaveLength(4);
    expect(shelf.list()).toContain(nameAt('2026-01-01T00:00:00.000001Z'));
  });

  test('neither counts nor deletes a file that is not a whole backup of this store', async () => {
    const shelf = makeShelf();
    for (const _ of [1, 2]) await shelf.back(2);
    const others = [
      'p-notes.db',
      'q-20200101T000000000000Z.db',
      'p.txt',
      nameAt('2020-01-01T00:00:00.000000Z'),
    ];
    for (const other of others) writeFileSync(shelf.at(other), 'mine');
    mkdirSync(shelf.at(nameAt('2030-01-01T00:00:00.000000Z')));
    const elsewhere = join(folder.path, 'elsewhere.db');
    copyFileSync(shelf.file, elsewhere);
    const link = nameAt('2026-02-02T00:00:00.000000Z');
    symlinkSync(elsewhere, shelf.at(link));
    symlinkSync('/nowhere', shelf.at(nameAt('2026-02-03T00:00:00.000000Z')));
    const short = nameAt('2026-02-04T00:00:00.000000Z');
    copyFileSync(shelf.file, shelf.at(short));
    truncateSync(shelf.at(short), 8192);
    const before = shelf.list();
    const { deleted } = await shelf.back(2);
    expect(deleted).toEqual([expect.stringMatching(/p-202\d{5}T\d{12}Z\.db$/)]);
    expect(shelf.list()).toHaveLength(before.length);
    for (const other of others) expect(readFileSync(shelf.at(other), 'utf8')).toBe('mine');
    expect([existsSync(elsewhere), lstatSync(shelf.at(link)).isSymbolicLink()]).toEqual([true, true]);
    expect(existsSync(shelf.at(short))).toBe(true);
  });
});

describe('a backup with --keep loses no earlier one when it fails', () => {
  test('because there is no store', async () => {
    const shelf = makeShelf();
    for (const _ of [1, 2]) await shelf.back(2);
    const before = shelf.list();
    const nothing = { POSTERN_DATA_DIR: join(folder.path, 'nothing') };
    const { status } = await postern(['backup', shelf.file, '--keep', '1'], nothing);
    expect([status, shelf.list()]).toEqual([1, before]);
  });

  test('because the newest is damaged or a link', async () => {
    const shelf = makeShelf();
    for (const _ of [1, 2]) await shelf.back(2);
    const [earlier = ''] = shelf.list();
    truncateSync(shelf.file, 8192);
    const damaged = await shelf.tryBack(1);
    expect(damaged.stderr).toContain('is not a Postern backup, or is damaged');
    renameSync(shelf.file, shelf.at('damaged'));
    symlinkSync(shelf.at(earlier), shelf.file);
    const linked = await shelf.tryBack(1);
    expect(linked.stderr).toContain('is a link; it was not changed.');
    expect([damaged.status, linked.status]).toEqual([1, 1]);
    expect(shelf.list()).toEqual(['damaged', earlier, 'p.db'].sort());
  });

  const canMount =
    Bun.spawnSync(['unshare', '--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']).exitCode === 0;
  test.skipIf(!canMount)('because the file system fills up', async () => {
    const shelf = makeShelf();
    for (const _ of [1, 2]) await shelf.back(2);
    const before = shelf.list();
    const script = `mount -t tmpfs -o size=2m none /mnt && cp "$1"/* /mnt && shift && "$@"; echo "status $?"; cd /mnt && ls`;
    const command = [...program, 'backup', '/mnt/p.db', '--keep', '1'];
    const child = Bun.spawn(['unshare', '--mount', 'sh', '-c', script, 'sh', shelf.path, ...command], {
      env: environment(env),
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [out, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    expect(out.trim().split('\n')).toEqual(['status 1', ...before]);
    expect(errors).toContain('There is no space left for /mnt/p.db. Free some on its disk');
  });

  test('because it is killed, at any moment', async () => {
    const shelf = makeShelf();
    for (const _ of [1, 2, 3]) await shelf.back(3);
    for (let round = 0; round < 12; round++) {
      const before = shelf.list();
      const child = shelf.start(3);
      // By turns: soon after the start, while the backup is written, and once the earlier one has its second name.
      const isDue = [
        () => existsSync(shelf.at('p.db.partial')),
        () => shelf.list().some((name) => KEPT.test(name) && !before.includes(name)),
      ][round % 3];
      const after = Bun.sleep(20 * round);
      while (child.exitCode === null && !(isDue ? isDue() : await after.then(() => true))) await Bun.sleep(1);
      child.kill('SIGKILL');
      await child.exited;
      const good = shelf.list().filter((name) => name === 'p.db' || KEPT.test(name));
      expect(good).toContain('p.db');
      expect(good.length).toBeGreaterThanOrEqual(3);
    }
    await shelf.back(3);
    expect(shelf.list()).toHaveLength(3);
    await shelf.restoreAll();
  }, 60_000);
});

describe('two backups to one file at once', () => {
  test('are both whole, or one says that the other is being made', async () => {
    const shelf = makeShelf();
    await shelf.back(3);
    const children = [1, 2, 3, 4].map(() => shelf.start(3));
    for (const child of children) {
      const said = await child.stderr.text();
      if ((await child.exited) !== 0) expect(said).toContain(`Another backup to ${shelf.file} is being made`);
    }
    expect(children.some(({ exitCode }) => exitCode === 0)).toBe(true);
    expect(shelf.list().every((name) => name === 'p.db' || KEPT.test(name))).toBe(true);
    expect(shelf.list().length).toBeLessThanOrEqual(3);
    await shelf.restoreAll();
  });

  test('are not stopped by what a killed backup has left, and follow no link there', async () => {
    const shelf = makeShelf();
    writeFileSync(shelf.at('p.db.partial'), 'half'.repeat(5_000));
    writeFileSync(shelf.at('p.db.partial-journal'), 'half');
    await shelf.back(3);
    const mine = join(folder.path, 'mine');
    for (const plant of [symlinkSync, linkSync]) {
      writeFileSync(mine, 'mine');
      plant(mine, shelf.at('p.db.partial'));
      await shelf.back(3);
      expect(readFileSync(mine, 'utf8')).toBe('mine');
    }
    expect(shelf.list()).toHaveLength(3);
    await shelf.restoreAll();
  });

  test.skipIf(!Bun.which('flock'))(
    'do not run at once: the second is refused while the first is being written',
    async () => {
      const shelf = makeShelf();
      await shelf.back(3);
      const before = shelf.list();
      const holder = Bun.spawn(['flock', shelf.at('p.db.partial'), 'sh', '-c', 'echo held; read -r line'], {
        stdin: 'pipe',
        stdout: 'pipe',
      });
      await holder.stdout.getReader().read();
      const { status, stderr } = await shelf.tryBack(1);
      expect([status, stderr]).toEqual([
        1,
        expect.stringContaining('is being made, so this one was not begun'),
      ]);
      expect(shelf.list()).toEqual([...before, 'p.db.partial'].sort());
      holder.stdin.end();
      await holder.exited;
      await shelf.back(1);
      expect(shelf.list()).toEqual(['p.db']);
    },
  );
});
