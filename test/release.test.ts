/** The fast parts of `scripts/release`, such as what it refuses. `.ci/release` makes a release and installs it. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { version } from '../package.json';
import { readCommit } from '../scripts/releasing/commit.ts';
import { putDocuments } from '../scripts/releasing/deb.ts';
import { fillFolder } from '../scripts/releasing/folder.ts';
import { listParts, writeNotices } from '../scripts/releasing/parts.ts';
import { fill } from '../scripts/releasing/recipes.ts';
import { writeSbom } from '../scripts/releasing/sbom.ts';
import { targets } from '../scripts/targets.ts';
import { findDeadLinks } from './tidy/documents.ts';

test('a release is refused in a checkout with changed or unknown files', () => {
  const dir = mkdtempSync(join(tmpdir(), 'postern-commit-'));
  const before = process.cwd();
  const git = (...args: string[]) =>
    Bun.spawnSync(['git', '-c', 'user.name=a', '-c', 'user.email=a@a.test', ...args], { cwd: dir });
  try {
    git('init', '--quiet');
    writeFileSync(join(dir, 'file'), 'one');
    git('add', '.');
    git('commit', '--quiet', '-m', 'one');
    process.chdir(dir);
    expect(readCommit().id).toMatch(/^[0-9a-f]{40}$/);
    writeFileSync('unknown', 'two');
    expect(readCommit).toThrow('Commit or remove these files first:\n?? unknown');
  } finally {
    process.chdir(before);
    rmSync(dir, { recursive: true });
  }
});

test('a target that does not exist is reported as wrong usage', () => {
  const script = resolve(import.meta.dir, '../scripts/release.ts');
  const done = Bun.spawnSync([process.execPath, script, '--only', 'linux-riscv'], { stderr: 'pipe' });
  expect(done.exitCode).toBe(2);
  expect(done.stderr.toString()).toContain('unknown target linux-riscv');
});

describe('no link is dead in the documents of', () => {
  const dir = mkdtempSync(join(tmpdir(), 'postern-links-'));
  afterAll(() => rmSync(dir, { recursive: true }));

  test.each(['linux', 'darwin'] as const)('an archive for %s', (os) => {
    fillFolder(join(dir, os), os, {});
    expect(findDeadLinks(join(dir, os))).toEqual([]);
  });

  test('a package for Debian, where the licence and the changelog have other names', () => {
    const into = join(dir, 'deb');
    fillFolder(join(dir, 'folder'), 'linux', {});
    putDocuments(join(dir, 'folder'), into);
    for (const name of ['changelog.gz', 'copyright']) writeFileSync(join(into, name), '');
    expect(findDeadLinks(into)).toEqual([]);
  });
});

describe('the recipes', () => {
  const url = 'https://releases.example.com/1';
  const sums = new Map(
    Object.keys(targets).map((target) => [`postern-${version}-${target}.tar.gz`, 'a'.repeat(64)]),
  );
  const dir = mkdtempSync(join(tmpdir(), 'postern-recipes-'));
  afterAll(() => rmSync(dir, { recursive: true }));
  const folder = resolve(import.meta.dir, '../packaging/recipes');
  const filled = (name: string) => {
    const file = join(dir, name);
    writeFileSync(file, fill(readFileSync(join(folder, name), 'utf8'), sums, url)!);
    return file;
  };

  test.each(readdirSync(folder))('in %s have an address and a sum for each archive', (name) => {
    const text = readFileSync(filled(name), 'utf8');
    expect(text).not.toContain('%');
    expect(text).toContain(version);
    expect(text.match(/a{64}/g)!.length).toBe(name === 'PKGBUILD' ? 2 : 4);
  });

  test('that need a missing archive are not written', () => {
    const text = readFileSync(join(folder, 'PKGBUILD'), 'utf8');
    expect(fill(text, new Map([...sums].slice(0, 1)), url)).toBe(null);
  });

  test.skipIf(!Bun.which('bash'))(
    'include a PKGBUILD that packs what its units need, beside the archive as makepkg leaves it',
    () => {
      const [source, into] = [join(dir, 'src'), join(dir, 'pkg')];
      const archive = join(source, `postern-${version}-linux-x64`);
      fillFolder(archive, 'linux', {});
      writeFileSync(join(archive, 'postern'), '');
      writeFileSync(`${archive}.tar.gz`, '');
      const script = 'set -e; source "$1"; srcdir=$2 pkgdir=$3; cd "$srcdir"; package';
      const done = Bun.spawnSync(['bash', '-c', script, 'bash', filled('PKGBUILD'), source, into], {
        stderr: 'pipe',
      });
      expect([done.exitCode, done.stderr.toString()]).toEqual([0, '']);
      const units = join(into, 'usr/lib/systemd/system');
      const backup = readFileSync(join(units, 'postern-backup.service'), 'utf8');
      const [, folders = ''] = /^ReadWritePaths=(.*)$/m.exec(backup)!;
      // The server makes its own.
      for (const folder of folders.split(' ').filter((one) => one !== '/var/lib/postern')) {
        expect(readdirSync(join(into, folder))).toEqual([]);
      }
      const [, page = ''] = /^Documentation=file:(.*)$/m.exec(
        readFileSync(join(units, 'postern.service'), 'utf8'),
      )!;
      expect(readFileSync(join(into, page), 'utf8')).toContain('# Postern');
      expect(findDeadLinks(join(into, 'usr/share/doc/postern'))).toEqual([]);
    },
  );

  const parsers: [string, string, string[]][] = [
    ['PKGBUILD', 'bash', ['-n']],
    ['postern.rb', 'ruby', ['-c']],
    ['postern.nix', 'nix-instantiate', ['--parse']],
  ];
  for (const [name, tool, args] of parsers) {
    test.skipIf(!Bun.which(tool))(`include a ${name} that ${tool} can read`, () => {
      const done = Bun.spawnSync([tool, ...args, filled(name)], {
        stderr: 'pipe',
        env: { ...process.env, HOME: dir },
      });
      expect([done.exitCode, done.exitCode === 0 || done.stderr.toString()]).toEqual([0, true]);
    });
  }
});

test('every part of the executable is listed once, with its licence', () => {
  const parts = listParts();
  const names = parts.map(({ name, version: of }) => `${name}@${of}`);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThan(100);
  expect(parts.filter(({ text, licence }) => text === '' || licence === '')).toEqual([]);
  const known = parts.map(({ name }) => name);
  for (const name of [
    'bun',
    'sqlite',
    'better-sqlite3',
    'elysia',
    'preact',
    'mailparser',
    'disposable-domains',
  ]) {
    expect(known).toContain(name);
  }
  const sbom = JSON.parse(writeSbom(parts, { id: 'x', epoch: 1_800_000_000 }));
  expect(sbom.components).toHaveLength(parts.length);
  expect(sbom.serialNumber).toBeUndefined();
  const notices = writeNotices(parts);
  expect(parts.filter(({ text }) => !notices.includes(text))).toEqual([]);
});
