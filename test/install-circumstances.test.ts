/** install.sh where something is missing or in the way: nothing is half replaced, and the service can still run. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findOwnTarget } from '../scripts/targets.ts';
import { canMount, Machine, makeBusyBox, makeCommands, makeRelease } from './install-world.ts';
import { haveTool } from './peers/tools.ts';

const dir = mkdtempSync(join(tmpdir(), 'postern-circumstances-'));
const releases = { one: join(dir, 'one'), two: join(dir, 'two') };
const archive = `postern-2.0-${findOwnTarget()}.tar.gz`;
const published = join(dir, 'published');
let server: ReturnType<typeof Bun.serve>;

const computeSum = (path: string) => new Bun.CryptoHasher('sha256').update(readFileSync(path)).digest('hex');

beforeAll(() => {
  makeRelease(releases.one, '1.0');
  makeRelease(releases.two, '2.0');
  mkdirSync(published);
  Bun.spawnSync(['tar', '-czf', join(published, archive), '-C', dir, 'two']);
  writeFileSync(join(published, 'SHA256SUMS'), `${computeSum(join(published, archive))}  ${archive}\n`);
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const [, way = '', name = ''] = pathname.split('/');
      if (way === 'moved') return Response.redirect(`/here/${name}`, 302);
      if (way === 'circle') return Response.redirect(pathname, 302);
      if (way === 'endless')
        return new Response(new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(1 << 20)) }));
      const file = Bun.file(join(published, name));
      return (await file.exists()) ? new Response(file) : new Response('no', { status: 404 });
    },
  });
});
afterAll(() => {
  server.stop(true);
  rmSync(dir, { recursive: true });
});

const at = (path: string) => `http://127.0.0.1:${server.port}/${path}`;
let places = 0;
const newPlace = (name: string) => join(dir, `${name}-${places++}`);

/** Runs install.sh into a folder, with only these commands. */
async function installInto(into: string, commands: string, args: string[]) {
  const shell = existsSync(join(commands, 'sh')) ? join(commands, 'sh') : '/bin/sh';
  const child = Bun.spawn([shell, join(releases.two, 'install.sh'), ...args], {
    env: { PATH: commands, DESTDIR: into, TMPDIR: dir },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, errors, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { exitCode, output: out + errors };
}

describe.skipIf(!haveTool('wget'))('without curl, with GNU Wget', () => {
  const commands = newPlace('wget');
  beforeAll(() => {
    makeCommands(commands);
    makeCommands(commands, ['wget']);
  });

  test.each(['here/', 'moved/'])('a release at %s is installed', async (folder) => {
    const into = newPlace('root');
    const { output, exitCode } = await installInto(into, commands, ['--from', at(folder)]);
    expect(output).toContain('Installed: Postern 2.0');
    expect(exitCode).toBe(0);
  });

  test.each([
    ['a release that does not exist', 'here/nothing.tar.gz', 'has no checksum of nothing.tar.gz'],
    ['a server without the file', 'here/SHA256SUM/', 'The server does not have it'],
    ['redirects in a circle', 'circle/', 'The server does not have it'],
    ['a server that never ends', 'endless/', 'sends far more than a release has'],
  ])('%s changes nothing', async (_, folder, advice) => {
    const into = newPlace('root');
    const { output, exitCode } = await installInto(into, commands, ['--from', at(folder)]);
    expect(output).toContain(advice);
    expect([exitCode, existsSync(into)]).toEqual([1, false]);
  });

  test('a redirect from https to http is not followed', async () => {
    const [into, folder, asked] = [newPlace('root'), newPlace('downgrade'), newPlace('asked')];
    makeCommands(folder);
    const answers = `echo '  Location: http://releases.example.com/SHA256SUMS' >&2; exit 8`;
    const text = `#!/bin/sh\nfor last; do :; done\n[ "$1" = --version ] && echo 'GNU Wget 1.21' && exit\necho "$last" >>${asked}\n${answers}\n`;
    writeFileSync(join(folder, 'wget'), text, { mode: 0o755 });
    const { exitCode } = await installInto(into, folder, ['--from', 'https://releases.example.com/']);
    expect([exitCode, existsSync(into)]).toEqual([1, false]);
    expect(readFileSync(asked, 'utf8')).toBe('https://releases.example.com/SHA256SUMS\n');
  });

  test('a server that is down is named', async () => {
    const into = newPlace('root');
    const { output } = await installInto(into, commands, ['--from', 'https://127.0.0.1:9/']);
    expect(output).toContain('https://127.0.0.1:9/SHA256SUMS could not be downloaded');
    expect(existsSync(into)).toBe(false);
  });
});

describe.skipIf(!haveTool('busybox'))('with only BusyBox', () => {
  const commands = newPlace('busybox');
  beforeAll(() => {
    makeBusyBox(commands);
    makeBusyBox(commands, ['wget']);
  });

  test('an archive from a file is installed, and an older one is refused afterwards', async () => {
    const into = newPlace('root');
    const { output } = await installInto(into, commands, ['--from', join(published, archive)]);
    expect(output).toContain('Installed: Postern 2.0');
    expect(readFileSync(join(into, 'usr/local/share/doc/postern/docs/page.md'), 'utf8')).toBe('2.0');
    const again = await installInto(into, commands, ['--from', join(published, archive)]);
    expect(again.output).toContain('Upgraded: Postern 2.0');
  });

  test('a download needs a checksum, because its wget may not check certificates', async () => {
    const into = newPlace('root');
    const refused = await installInto(into, commands, ['--from', `https://127.0.0.1:9/${archive}`]);
    expect(refused.output).toContain('Install curl, or give the checksum of the file with --sha256.');
    expect(existsSync(into)).toBe(false);
    const sum = ['--sha256', computeSum(join(published, archive))];
    const { output } = await installInto(into, commands, ['--from', at(`here/${archive}`), ...sum]);
    expect(output).toContain('Installed: Postern 2.0');
  });
});

test('with neither curl nor wget, the message names what to install', async () => {
  const into = newPlace('root');
  const { output } = await installInto(into, makeCommands(newPlace('bare')), ['--from', at('here/')]);
  expect(output).toContain('A download needs curl or wget');
  expect(existsSync(into)).toBe(false);
});

describe.skipIf(!canMount)('on a machine', () => {
  /** Makes a machine with version 1.0 installed and running, and a store. */
  let template: Machine;
  beforeAll(async () => {
    template = Machine.make(newPlace('machine'));
    const { output } = await template.run(releases.one);
    expect(output).toContain('Installed: Postern 1.0');
    mkdirSync(join(template.folder, 'var/lib/postern'), { recursive: true });
    writeFileSync(join(template.folder, 'var/lib/postern/postern.db'), 'mail');
  });
  const freshMachine = () => template.copyTo(newPlace('machine'));

  test.each([
    ['with a read-only /usr/local', 'mount -o remount,bind,ro /usr/local', 'could not be written', {}],
    ['with a full /usr/local', fill('/usr/local'), 'could not be written', {}],
    ['with a full /etc', fill('/etc'), 'could not be written', {}],
    ['without systemd', 'rm "$1/systemctl"', 'systemd does not run on this machine', {}],
    [
      'where systemd is not the first process',
      'printf \'#!/bin/sh\\necho offline; exit 1\\n\' >"$1/systemctl"',
      'systemd does not run on this machine',
      {},
    ],
    [
      'as another user',
      'rm "$1/id"; printf \'#!/bin/sh\\necho 1000\\n\' >"$1/id"; chmod 755 "$1/id"',
      'it must run as root',
      {},
    ],
    [
      'with a TMPDIR that is mounted noexec',
      'mount -t tmpfs -o noexec none /mnt',
      'set TMPDIR to a folder that is not mounted noexec',
      { TMPDIR: '/mnt' },
    ],
    [
      'with a TMPDIR that is full',
      'mount -t tmpfs -o size=4k none /mnt && echo full >/mnt/file',
      'set TMPDIR to a folder with 300 MB free',
      { TMPDIR: '/mnt' },
    ],
    ['without a TMPDIR', ':', 'Set TMPDIR to a folder with 300 MB free', { TMPDIR: '/nowhere' }],
  ])('%s, nothing is changed and 1.0 keeps running', async (_, before, message, env) => {
    const machine = freshMachine();
    const args = ['--from', join(published, archive)];
    const { output, exitCode } = await machine.run(releases.two, { args, env, before });
    expect(output).toContain(message);
    expect(exitCode).toBe(1);
    expect([machine.active, machine.startable]).toEqual(['Postern 1.0', 'Postern 1.0']);
    expect(machine.listLeftovers()).toEqual([]);
  });

  test('a second run during the first is refused, and the first ends as if it were alone', async () => {
    const machine = freshMachine();
    const gate = Promise.withResolvers<void>();
    machine.replaceCommand('useradd', '#!/bin/sh\n');
    machine.replaceCommand(
      'getent',
      '#!/bin/sh\n: >/run/waits\nwhile [ ! -e /run/go ]; do /bin/sleep 0.02; done\n',
    );
    const first = machine.run(releases.two);
    const watch = setInterval(() => machine.has('run/waits') && gate.resolve(), 10);
    await gate.promise;
    clearInterval(watch);
    const { output, exitCode } = await machine.run(releases.two);
    expect([exitCode, output]).toEqual([1, expect.stringContaining('Another install.sh is running')]);
    const removal = await machine.run(releases.two, { args: ['--uninstall'] });
    expect(removal.output).toContain('Another install.sh is running');
    expect(machine.active).toBe('Postern 1.0');
    writeFileSync(join(machine.folder, 'run/go'), '');
    expect((await first).output).toContain('Upgraded: Postern 2.0');
    expect(machine.active).toBe('Postern 2.0');
  });

  test('a version that does not start is replaced by the previous one', async () => {
    const machine = freshMachine();
    const broken = makeRelease(newPlace('release'), '3.0-broken');
    const { output, exitCode } = await machine.run(broken);
    expect(output).toContain('The previous version is running again: Postern 1.0');
    expect([exitCode, machine.active, machine.startable]).toEqual([1, 'Postern 1.0', 'Postern 1.0']);
  });

  test('a store that is too new for an older version stays, with the backup that this one can open', async () => {
    const machine = freshMachine();
    const folder = join(machine.folder, 'var/lib/postern');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'postern.db'), 'mail');
    await machine.run(makeRelease(newPlace('release'), '2.0-migrates'));
    const older = await machine.run(releases.one, { args: ['--allow-older'] });
    expect([older.exitCode, machine.active]).toEqual([1, 'Postern 2.0-migrates']);
    const backups = join(machine.folder, 'var/backups/postern');
    const kept = readFileSync(join(backups, 'before-upgrade.db'), 'utf8');
    expect([kept, readFileSync(join(backups, 'before-downgrade.db'), 'utf8')]).toEqual([
      'mail',
      'migrated\n',
    ]);
    expect(older.output).toContain('postern restore /var/backups/postern/before-upgrade.db');

    writeFileSync(join(folder, 'postern.db'), kept);
    await machine.run(releases.one, { args: ['--allow-older'] });
    expect([machine.active, readFileSync(join(folder, 'postern.db'), 'utf8')]).toEqual([
      'Postern 1.0',
      'mail',
    ]);
  });

  test('the download of a killed run is removed an hour later, but no other user’s', async () => {
    const machine = freshMachine();
    const names = ['postern-install.aaaaaa', 'postern-install.bbbbbb', 'postern-install.cccccc', 'others'];
    for (const name of names) mkdirSync(join(machine.folder, 'var/tmp', name));
    const [old, , foreign, others] = names.map((name) => join(machine.folder, 'var/tmp', name));
    const twoHoursAgo = Date.now() / 1000 - 7200;
    chownSync(foreign!, 12345, 12345);
    for (const folder of [old!, foreign!, others!]) utimesSync(folder, twoHoursAgo, twoHoursAgo);
    await machine.run(releases.two, { args: ['--from', join(published, archive)] });
    expect(readdirSync(join(machine.folder, 'var/tmp')).sort()).toEqual(
      ['others', ...names.slice(1, 3)].sort(),
    );
    expect(machine.active).toBe('Postern 2.0');
  });
});

/** Returns shell commands that mount a full file system over a folder, whose files are kept. */
function fill(folder: string): string {
  const copy = `mount -t tmpfs -o size=1m none /mnt && cp -a ${folder}/. /mnt/`;
  return `${copy}; cat /dev/zero >/mnt/filling 2>/dev/null; mount --bind /mnt ${folder}`;
}
