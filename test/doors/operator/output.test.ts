/** What a command says, and how it ends, when its output can't be written. */
import { expect, test } from 'bun:test';
import { closeSync, openSync } from 'node:fs';
import { program } from '../../program.ts';
import { until } from '../../until.ts';
import { environment } from './command-process.ts';

/** A device on which every write fails, as on a full disk. */
const FULL = '/dev/full';
/** A process that does not end is killed after this time. */
const END_MS_MAX = 20_000;

function start(args: string[], stderr: 'pipe' | 'ignore' = 'pipe') {
  const full = openSync(FULL, 'w');
  const child = Bun.spawn([...program, ...args], {
    env: environment({}),
    stdin: 'ignore',
    stdout: full,
    stderr,
    timeout: END_MS_MAX,
    killSignal: 'SIGKILL',
  });
  closeSync(full);
  return child;
}

test.each([
  ['one line', ['version', '--json']],
  ['help', ['--help']],
  ['a long document', ['openapi']],
])('a command that prints %s to a full disk fails', async (_, args) => {
  const child = start(args);
  const [stderr, status] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: "Standard output can't be used: there is no space left. Free disk space, or give another path.\n",
  });
});

test('a server whose log goes to a full disk keeps serving, and stops at SIGTERM', async () => {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const address = `127.0.0.1:${probe.port}`;
  probe.stop(true);
  const listens = ['--http-listen', address, '--smtp-listen', '127.0.0.1:0'];
  const child = start(['serve', '--data-dir', ':memory:', '--log', 'json', ...listens], 'ignore');
  await until(async () => (await fetch(`http://${address}/readyz`).catch(() => null))?.ok === true);
  child.kill('SIGTERM');
  expect({ status: await child.exited, signal: child.signalCode }).toEqual({ status: 0, signal: null });
}, 30_000);

test('a command whose reader stops early has not failed', async () => {
  const child = Bun.spawn(
    ['sh', '-c', '{ "$@"; echo "status $?" >&2; } | head -c 5', 'sh', ...program, 'openapi'],
    {
      env: environment({}),
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: END_MS_MAX,
      killSignal: 'SIGKILL',
    },
  );
  expect(await new Response(child.stderr).text()).toBe('status 0\n');
});
