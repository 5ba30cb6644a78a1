import { afterAll, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { documents } from '../scripts/releasing/folder.ts';
import { findDeadLinks } from './tidy/documents.ts';

const repository = resolve(import.meta.dir, '..');
const dir = mkdtempSync(join(tmpdir(), 'postern-install-'));
afterAll(() => rmSync(dir, { recursive: true }));

/** Makes a release folder with an executable that only prints a version. */
function releaseFolder(version: string): string {
  const folder = join(dir, version);
  mkdirSync(folder);
  for (const name of ['install.sh', 'systemd', ...documents]) {
    cpSync(join(repository, name), join(folder, name), { recursive: true });
  }
  writeFileSync(join(folder, 'postern'), `#!/bin/sh\necho postern ${version}\n`);
  chmodSync(join(folder, 'postern'), 0o755);
  return folder;
}

function install(folder: string, into: string, ...args: string[]) {
  const done = Bun.spawnSync(['sh', join(folder, 'install.sh'), ...args], {
    env: { ...process.env, DESTDIR: into },
  });
  return { exitCode: done.exitCode, output: `${done.stdout}${done.stderr}` };
}

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('install.sh into a folder', () => {
  const into = join(dir, 'root');
  const settings = join(into, 'etc/postern/postern.env');

  test('installs the executable, the unit, the settings and a private data folder', () => {
    const { exitCode, output } = install(releaseFolder('1.0'), into);
    expect(output).toContain('Installed: postern 1.0');
    expect(exitCode).toBe(0);
    expect(mode(join(into, 'usr/local/bin/postern'))).toBe('755');
    expect(mode(join(into, 'etc/systemd/system/postern.service'))).toBe('644');
    expect(mode(settings)).toBe('640');
    expect(mode(join(into, 'var/lib/postern'))).toBe('700');
  });

  test('installs the documents, in which no link is dead', () => {
    const installed = join(into, 'usr/local/share/doc/postern');
    expect(findDeadLinks(installed)).toEqual([]);
    expect(mode(join(installed, 'examples/shell'))).toBe('755');
  });

  test('upgrades when it is run again, and leaves the settings alone', () => {
    writeFileSync(settings, 'POSTERN_MAIL_DOMAIN=mine.example\n');
    const { output } = install(releaseFolder('2.0'), into);
    expect(output).toContain('Upgraded: postern 2.0');
    expect(readFileSync(settings, 'utf8')).toBe('POSTERN_MAIL_DOMAIN=mine.example\n');
    expect(readFileSync(join(into, 'usr/local/bin/postern'), 'utf8')).toContain('2.0');
  });

  test('changes nothing when the executable does not run here', () => {
    const folder = releaseFolder('3.0');
    writeFileSync(join(folder, 'postern'), '#!/bin/sh\nexit 126\n');
    const { exitCode, output } = install(folder, into);
    expect(exitCode).toBe(1);
    expect(output).toContain('does not run on this machine');
    expect(readFileSync(join(into, 'usr/local/bin/postern'), 'utf8')).toContain('2.0');
  });

  test('writes the mail domain into new settings, which listen on public addresses', () => {
    const other = join(dir, 'other');
    const folder = releaseFolder('4.0');
    const { output } = install(folder, other, '--domain', 'mail.example.com');
    expect(output).toContain('mail.example.com.  MX   10 mx.mail.example.com.');
    const text = readFileSync(join(other, 'etc/postern/postern.env'), 'utf8');
    expect(text).toContain('\nPOSTERN_MAIL_DOMAIN=mail.example.com\nPOSTERN_SMTP_LISTEN=0.0.0.0:25\n');
  });

  test.each([
    [['--nope']],
    [['--purge']],
    [['--domain']],
    [['--domain', '--email']],
    [['--domain', 'x; rm -rf /']],
  ])('refuses %j and changes nothing', (args) => {
    const nowhere = join(dir, 'nowhere');
    const { exitCode, output } = install(repository, nowhere, ...args);
    expect(exitCode).toBe(1);
    expect(output).not.toBe('');
    expect(existsSync(nowhere)).toBe(false);
  });

  test('works with another umask, a relative folder and a half-finished install', () => {
    const folder = releaseFolder('5.0');
    mkdirSync(join(dir, 'a place/usr/local/bin'), { recursive: true });
    writeFileSync(join(dir, 'a place/usr/local/bin/postern.new'), 'half');
    const done = Bun.spawnSync(
      ['sh', '-c', `umask 077; DESTDIR='a place' sh "$1/install.sh"`, 'sh', folder],
      {
        cwd: dir,
      },
    );
    expect(done.exitCode).toBe(0);
    const at = (path: string) => join(dir, 'a place', path);
    expect(['etc/postern', 'etc/systemd/system'].map((path) => mode(at(path)))).toEqual(['755', '755']);
    expect(mode(at('usr/local/bin/postern'))).toBe('755');
    expect(mode(at('var/lib/postern'))).toBe('700');
    expect(existsSync(at('usr/local/bin/postern.new'))).toBe(false);
  });

  test('keeps the old version whole when a file is missing or the disk is full', () => {
    const folder = releaseFolder('6.0');
    rmSync(join(folder, 'systemd/postern.service'));
    expect(install(folder, into).exitCode).toBe(1);
    expect(readFileSync(join(into, 'usr/local/bin/postern'), 'utf8')).toContain('2.0');
    expect(existsSync(join(into, 'usr/local/bin/postern.new'))).toBe(false);
  });

  test('refuses a --domain with which the new version would not start, and says that a second one is ignored', () => {
    const folder = releaseFolder('7.0');
    expect(install(folder, into, '--domain', 'late.example').output).toContain('was not changed by --domain');
    expect(readFileSync(settings, 'utf8')).not.toContain('late.example');
    writeFileSync(join(folder, 'postern'), '#!/bin/sh\n[ "$1" = version ] && echo postern\n');
    const nowhere = join(dir, 'never');
    const { exitCode, output } = install(folder, nowhere, '--domain', 'me@example.com');
    expect(exitCode).toBe(1);
    expect(output).toContain('is not a valid mail domain');
    expect(existsSync(nowhere)).toBe(false);
  });

  test('uninstalls without touching settings and mail, and purges everything', () => {
    expect(install(repository, into, '--uninstall').output).toContain('Kept: ');
    const left = [
      'usr/local/bin/postern',
      'etc/systemd/system/postern.service',
      'etc/postern/postern.env',
      'var/lib/postern',
    ];
    expect(left.map((path) => existsSync(join(into, path)))).toEqual([false, false, true, true]);
    install(repository, into, '--uninstall', '--purge');
    expect(left.map((path) => existsSync(join(into, path)))).toEqual([false, false, false, false]);
  });
});
