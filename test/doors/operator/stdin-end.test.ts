/** `capture --exit-on-stdin-close` ends with the program that started it. */
import { expect, test } from 'bun:test';
import { program } from '../../program.ts';
import { environment, startServing } from './command-process.ts';

const listen = ['--http-listen', '127.0.0.1:0', '--smtp-listen', '127.0.0.1:0'];

/** Starts the command in its arguments with a pipe as standard input, and then does nothing. */
const parent = `
  const { spawn } = require('node:child_process');
  spawn(process.argv[1], process.argv.slice(2), { stdio: ['pipe', 'inherit', 'inherit'] });
  setInterval(() => {}, 1000);
`;

test('a capture ends with its parent, even one that is killed', async () => {
  const command = [...program, 'capture', '--json', '--exit-on-stdin-close', ...listen];
  const child = Bun.spawn([process.execPath, '-e', parent, ...command], {
    env: environment({}),
    stdout: 'pipe',
    stderr: 'ignore',
  });
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  const { http } = JSON.parse(new TextDecoder().decode(value)) as { http: string };
  expect((await fetch(`${http}/healthz`)).status).toBe(200);
  child.kill('SIGKILL');
  // Its standard output ends when the last process that has it open has ended.
  while (!(await reader.read()).done);
  await expect(fetch(`${http}/healthz`)).rejects.toThrow();
}, 20_000);

test('a capture without the flag does not read its standard input', async () => {
  await using capture = await startServing(['capture']);
  expect((await fetch(`${capture.ready.http}/healthz`)).status).toBe(200);
}, 20_000);
