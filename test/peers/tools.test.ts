/** A tool counts as installed if it can do what a test needs. */
import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../doors/operator/folder.ts';
import { haveTool, runTool } from './tools.ts';

/** Calls haveTool in a process with this environment, and returns its answers and what it noted for scripts/test. */
async function ask(name: string, env: Record<string, string>) {
  using folder = temporaryFolder();
  const noted = join(folder.path, 'noted');
  const script = `import { haveTool } from ${JSON.stringify(join(import.meta.dir, 'tools.ts'))};
    console.log(haveTool(${JSON.stringify(name)}), haveTool(${JSON.stringify(name)}));`;
  const child = Bun.spawn([process.execPath, '-e', script], {
    env: { ...process.env, CI: '', BUN_BE_BUN: '1', MISSING_TOOLS_FILE: noted, ...env },
    stdout: 'pipe',
    stderr: 'ignore',
  });
  const said = (await child.stdout.text()).trim();
  const file = Bun.file(noted);
  return { said, noted: (await file.exists()) ? await file.text() : '' };
}

test.skipIf(!haveTool('swaks'))(
  'swaks without Perl’s TLS module can send, and counts as missing where TLS is needed',
  async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, 'Net'));
    writeFileSync(join(folder.path, 'Net/SSLeay.pm'), 'die "not installed\\n";\n');
    const env = { PERL5LIB: folder.path };
    expect(await ask('swaks', env)).toEqual({ said: 'true true', noted: '' });
    expect(await ask('swaks with TLS', env)).toEqual({
      said: 'false false',
      noted: 'swaks with TLS: apt-get install swaks libnet-ssleay-perl\n',
    });
  },
);

test('a tool that .ci/tools does not list is a mistake in the test, not a missing tool', () => {
  expect(() => haveTool('telnet')).toThrow('.ci/tools has no line for telnet');
});

test('scripts/test reports a file that does not exist', async () => {
  const root = join(import.meta.dir, '../..');
  const run = [process.execPath, join(root, 'scripts/test.ts'), 'test/no/such.test.ts'];
  const { exitCode, output } = await runTool(['env', 'BUN_BE_BUN=1', ...run]);
  expect([exitCode, output]).toEqual([
    2,
    `There is no test/no/such.test.ts in ${process.cwd()}. Give a file or folder relative to it, such as test/platform/mail.\n`,
  ]);
});
