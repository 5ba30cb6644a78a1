/** Clients that open HTTP connections faster than the server can serve them. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../../doors/operator/folder.ts';
import { SmtpClient } from '../../peers/smtp-client.ts';
import { program } from '../../program.ts';

const FLOOD_MS = 8_000;

/** Opens connections from a process of its own, each with hundreds of requests at once, and a new one for each that is closed. */
function flood(port: number): Bun.Subprocess<'ignore', 'pipe'> {
  const script = `
    const requests = Buffer.from('GET /x HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n'.repeat(500));
    const socket = {
      open: (socket) => void socket.write(requests),
      data() {},
      drain() {},
      close: () => dial(),
      error() {},
      connectError: () => setTimeout(dial, 1),
    };
    const dial = () => void Bun.connect({ hostname: '127.0.0.1', port: ${port}, socket }).catch(() => {});
    for (let count = 0; count < 100; count++) dial();
    setTimeout(() => process.exit(), ${FLOOD_MS});
    console.log('flooding');
  `;
  return Bun.spawn([process.execPath, '-e', script], { stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' });
}

test('a flood of HTTP connections does not keep mail out', async () => {
  using folder = temporaryFolder();
  const own = Object.entries(process.env).filter(([name]) => !/^(POSTERN_|BUN_BE_BUN$)/.test(name));
  const doors = ['--http-listen', '127.0.0.1:0', '--smtp-listen', '127.0.0.1:0', '--disk-floor', '0'];
  const server = Bun.spawn([...program, 'serve', '--json', ...doors], {
    env: { ...Object.fromEntries(own), POSTERN_DATA_DIR: join(folder.path, 'data') },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
  });
  try {
    const { value } = await server.stdout.getReader().read();
    const { http, smtp } = JSON.parse(new TextDecoder().decode(value).split('\n')[0]!);
    const flooding = flood(Number(new URL(http).port));
    await flooding.stdout.getReader().read();
    const sessions: number[] = [];
    while (flooding.exitCode === null) {
      const client = await SmtpClient.greet({
        port: Number(smtp.split(':').at(-1)),
        timeoutMs: 2 * FLOOD_MS,
      });
      await client.say('MAIL FROM:<a@example.org>', 250);
      client.close();
      sessions.push(performance.now());
    }
    // Before, a single one was held up until the flood ended.
    expect(sessions.length).toBeGreaterThan(8);
    expect((await fetch(new URL('/healthz', http))).status).toBe(200);
  } finally {
    server.kill('SIGTERM');
    await server.exited;
  }
}, 60_000);
