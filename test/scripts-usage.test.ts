/** The scripts that take arguments print their usage when asked, and do nothing else. */
import { expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const scripts = ['build', 'release', 'image', 'bench', 'torture', 'build-clients', 'generate-clients'];

test.each(scripts)('scripts/%s prints its usage with --help, and refuses an unknown flag', async (name) => {
  const empty = mkdtempSync(join(tmpdir(), 'postern-usage-'));
  const run = async (flag: string) => {
    const child = Bun.spawn([process.execPath, join(import.meta.dir, `../scripts/${name}.ts`), flag], {
      cwd: empty,
      env: { ...process.env, BUN_BE_BUN: '1' },
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: 60_000,
    });
    const texts = await Promise.all([child.stdout.text(), child.stderr.text()]);
    return { status: await child.exited, said: texts.join('') };
  };
  const usage = `usage: scripts/${name} `;
  expect(await run('--help')).toEqual({ status: 0, said: expect.stringMatching(new RegExp(`^${usage}`)) });
  expect(await run('--nope')).toEqual({ status: 2, said: expect.stringContaining(usage) });
  expect(readdirSync(empty)).toEqual([]);
  rmSync(empty, { recursive: true });
});

test('scripts/setup does not make a shell that sources it exit at the first command that fails', async () => {
  // As CONTRIBUTING.md says to source it, in an interactive shell.
  const script = '. scripts/setup; false; test -x "$BUN" && echo "found$NO_SUCH_VARIABLE"';
  const child = Bun.spawn(['sh', '-c', script], {
    cwd: join(import.meta.dir, '..'),
    stdout: 'pipe',
    stderr: 'inherit',
  });
  expect(await child.stdout.text()).toBe('found\n');
});
