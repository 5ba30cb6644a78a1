/** `scripts/release` as far as it is fast: what it refuses. `.ci/release` makes one and installs it. */
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readCommit } from '../scripts/releasing/commit.ts';

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
    expect(readCommit).toThrow('Commit or remove these first:\n?? unknown');
  } finally {
    process.chdir(before);
    rmSync(dir, { recursive: true });
  }
});

test('a target that does not exist is wrong usage', () => {
  const script = resolve(import.meta.dir, '../scripts/release.ts');
  const done = Bun.spawnSync([process.execPath, script, '--only', 'linux-riscv'], { stderr: 'pipe' });
  expect(done.exitCode).toBe(2);
  expect(done.stderr.toString()).toContain('unknown target linux-riscv');
});
