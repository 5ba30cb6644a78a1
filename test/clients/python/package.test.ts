/** The Python client, built and installed, passes the contract of all clients and its own tests. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environment } from '../../doors/operator/command-process.ts';
import { haveTool } from '../../peers/tools.ts';
import { program } from '../../program.ts';
import { type ContractServers, startContractServers } from '../contract-servers.ts';
import { type InstalledPackage, installPackage, prepareEnvironment } from './package.ts';

const contract = join(import.meta.dir, '../../../clients/contract');
const python = haveTool('venv for Python') ? await prepareEnvironment() : null;
let installed: InstalledPackage;
let servers: ContractServers;
let bin: string;

beforeAll(async () => {
  if (python === null) return;
  [installed, servers] = await Promise.all([installPackage(python), startContractServers()]);
  bin = join(installed.site, 'postern-to-test');
  writeFileSync(bin, `#!/bin/sh\nexec ${program.map((word) => `'${word}'`).join(' ')} "$@"\n`);
  chmodSync(bin, 0o755);
}, 200_000);
afterAll(async () => {
  await servers?.[Symbol.asyncDispose]();
  installed?.[Symbol.dispose]();
});

/** Runs pytest in the folder of the package's tests, and returns its output and status. */
async function runPytest(args: string[]): Promise<{ output: string; status: number }> {
  const child = Bun.spawn([installed.python, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', ...args], {
    cwd: installed.dir,
    env: environment({
      ...servers.env,
      PYTHONPATH: installed.site,
      PYTHONDONTWRITEBYTECODE: '1',
      POSTERN_BIN: bin,
      POSTERN_CONTRACT: contract,
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 150_000,
  });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { output: out + err, status: await child.exited };
}

// These run concurrently, because they mostly wait. Each peer of the contract serves one case, so their order does not matter.
const withPeers = '(trouble or streaming or webhooks or sending)';
const lossless = 'tests/test_lossless.py';
const runs: Record<string, string[]> = {
  'the contract’s failures, streams, webhooks and sending, with the blocking client': [
    'tests/test_contract.py',
    ...['-k', `${withPeers} and not async`],
  ],
  'the contract’s failures, streams, webhooks and sending, with asyncio': [
    'tests/test_contract.py',
    '-k',
    `${withPeers} and async`,
  ],
  'the rest of the contract': ['tests/test_contract.py', '-k', `not ${withPeers}`],
  'waits and streams that lose and repeat nothing': [lossless, '-m', 'not load'],
  'all that is only in Python': [
    ...['tests', '--ignore=tests/test_contract.py', `--ignore=${lossless}`],
    ...['-m', 'not load'],
  ],
};

describe.skipIf(python === null)('the Python client', () => {
  test('can be built as sdist and wheel', () => {
    expect(installed.built.sort()).toEqual([
      expect.stringMatching(/^postern_mail-[\d.]+-py3-none-any\.whl$/),
      expect.stringMatching(/^postern_mail-[\d.]+\.tar\.gz$/),
    ]);
  });

  for (const [name, args] of Object.entries(runs)) {
    test.concurrent(`passes its own tests of ${name}`, async () => {
      const { output, status } = await runPytest(args);
      expect({ status, output: status === 0 ? '' : output }).toEqual({ status: 0, output: '' });
      expect(output).toMatch(/\d\d passed/);
    }, 160_000);
  }
});
