/** SIGHUP: closing the terminal ends a capture that was started in it. */
import { describe, expect, test } from 'bun:test';
import { program } from '../../program.ts';
import { environment, startServing } from './command-process.ts';

/** Starts the command in a terminal of its own, hangs up when it is ready, and prints how it ended. */
const inTerminal = `
import json, os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
seen = b""
while b"Ctrl-C" not in seen:
    seen += os.read(terminal, 4096)
os.close(terminal)
_, status = os.waitpid(pid, 0)
print(json.dumps({"exit": os.waitstatus_to_exitcode(status)}))
`;

describe.skipIf(!Bun.which('python3'))('SIGHUP', () => {
  test('ends a capture with its terminal', async () => {
    const listen = ['--http-listen', '127.0.0.1:0', '--smtp-listen', '127.0.0.1:0'];
    const child = Bun.spawn(['python3', '-c', inTerminal, ...program, 'capture', ...listen], {
      env: environment({}),
      stdout: 'pipe',
    });
    expect(JSON.parse(await child.stdout.text())).toEqual({ exit: 0 });
  }, 20_000);

  test('does not end a capture without one', async () => {
    await using capture = await startServing(['capture']);
    capture.kill('SIGHUP');
    expect((await fetch(`${capture.ready.http}/healthz`)).status).toBe(200);
  }, 20_000);
});
