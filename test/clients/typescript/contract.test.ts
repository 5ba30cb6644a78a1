/** The TypeScript client, packed and installed, follows the contract of all clients under every installed runtime. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { haveTool } from '../../peers/tools.ts';
import { startContractServers } from '../contract-servers.ts';
import { bundleFor, type InstalledClient, installClient } from './package.ts';

const contract = join(import.meta.dir, '../../../clients/contract');
const canInstall = haveTool('npm');
let installed: InstalledClient;
let runner: string;

beforeAll(async () => {
  if (!canInstall) return;
  installed = await installClient();
  runner = await bundleFor(installed.dir, join(import.meta.dir, 'runner/run.ts'), 'run.mjs');
}, 60_000);
afterAll(() => installed?.[Symbol.dispose]());

const runtimes = [
  { name: 'Node', command: ['node'], isHere: haveTool('node') },
  { name: 'Bun', command: [process.execPath], isHere: true },
  { name: 'Deno', command: ['deno', 'run', '-A'], isHere: Bun.which('deno') !== null },
];

interface Verdict {
  group: string;
  title: string;
  fault: string | null;
}

/** With servers of its own, because the cases of one run share accounts and the trap's faults. */
async function runContract(command: string[]): Promise<Verdict[]> {
  await using servers = await startContractServers();
  const child = Bun.spawn([...command, runner, join(contract, 'cases')], {
    cwd: installed.dir,
    env: { ...process.env, ...servers.env, BUN_BE_BUN: '1' },
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const lines = (await child.stdout.text()).trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Verdict);
}

describe.skipIf(!canInstall)('the packed client', () => {
  // The runs mostly wait, so they are concurrent.
  for (const { name, command, isHere } of runtimes) {
    test.concurrent.skipIf(!isHere)(
      `follows the contract under ${name}`,
      async () => {
        const verdicts = await runContract(command);
        expect(verdicts.filter(({ fault }) => fault !== null)).toEqual([]);
        const files = readdirSync(join(contract, 'cases')).map((file) =>
          JSON.parse(readFileSync(join(contract, 'cases', file), 'utf8')),
        );
        expect(verdicts.length).toBe(files.reduce((sum, { cases }) => sum + cases.length, 0));
      },
      120_000,
    );
  }

  test('has its modules, their types, README, license and nothing else', () => {
    const kinds = installed.files.map((file) => file.replace(/^(dist|docs)\/.*?(?=(\.d)?\.\w+$)/, '$1/*'));
    expect([...new Set(kinds)].sort()).toEqual([
      'LICENSE',
      'README.md',
      // Jest loads its entry with require().
      'dist/*.cjs',
      'dist/*.d.cts',
      'dist/*.d.ts',
      'dist/*.js',
      'docs/*.md',
      'package.json',
    ]);
  });

  test('loads no module of Node where it runs in a browser', () => {
    const dist = join(installed.dir, 'node_modules/@postern/client/dist');
    const reached = new Set(['./index.js']);
    const others: string[] = [];
    for (const module of reached) {
      const code = readFileSync(join(dist, module), 'utf8');
      for (const [, from] of code.matchAll(/(?:from|import)\s*\(?['"]([^'"]+)['"]/g)) {
        if (from!.startsWith('./')) reached.add(from!);
        else others.push(from!);
      }
    }
    expect(others).toEqual([]);
    expect(reached).not.toContain('./server.js');
  });
});
