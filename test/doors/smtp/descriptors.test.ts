/** Few file descriptors: idle clients keep neither mail nor requests out. */
import { expect, test } from 'bun:test';
import { createConnection } from 'node:net';
import { SmtpClient } from '../../peers/smtp-client.ts';
import { program } from '../../program.ts';
import { environment, type Ready } from '../operator/command-process.ts';
import { temporaryFolder } from '../operator/folder.ts';

test('more idle SMTP clients than descriptors leave room for the next one', async () => {
  using folder = temporaryFolder();
  const listen = ['--http-listen', '127.0.0.1:0', '--smtp-listen', '127.0.0.1:0'];
  const serve = [...program, 'serve', '--json', ...listen, '--data-dir', folder.path];
  await using child = Bun.spawn(['sh', '-c', 'ulimit -n 96; exec "$@"', 'sh', ...serve], {
    env: environment({}),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const { value } = await child.stdout.getReader().read();
  const ready = JSON.parse(Buffer.from(value!).toString().split('\n')[0]!) as Ready;
  const port = Number(ready.smtp.split(':').at(-1));
  const idle = Array.from({ length: 150 }, () => createConnection(port, '127.0.0.1').on('error', () => {}));
  // Accepting the burst takes all descriptors for a moment. Without a bound they are taken until the idle time is over.
  expect(await isServed(port)).toBe(true);
  expect((await fetch(`${ready.http}/healthz`)).status).toBe(200);
  for (const socket of idle) socket.destroy();
  child.kill();
  expect(await child.exited).toBe(0);
}, 40_000);

async function isServed(port: number): Promise<boolean> {
  for (let tries = 0; tries < 10; tries++) {
    try {
      using client = await SmtpClient.greet({ port, timeoutMs: 2_000 });
      client.send('MAIL FROM:<a@example.org>');
      return (await client.reply()).code === 250;
    } catch {
      // Not accepted yet.
    }
  }
  return false;
}
