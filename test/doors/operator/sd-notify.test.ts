/** What the server reports to systemd, through a datagram socket of our own as NOTIFY_SOCKET. */
import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { listenAsManager } from '../../peers/notify-socket.ts';
import { until } from '../../until.ts';
import { startServing } from './command-process.ts';
import { temporaryFolder } from './folder.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

test.each([
  ['a path', join(folder.path, 'notify.sock')],
  ['an abstract name', `@postern-test-${process.pid}`],
])(
  'systemd is notified when the server is ready, alive, reloading, ready again and stopping, over %s',
  async (_, name) => {
    using systemd = listenAsManager(name);
    const env = {
      POSTERN_DATA_DIR: join(folder.path, 'data'),
      NOTIFY_SOCKET: name,
      WATCHDOG_USEC: '40000',
    };
    const has =
      (start: string, times = 1) =>
      () =>
        systemd.messages().filter((message) => message.startsWith(start)).length >= times;
    {
      await using server = await startServing(['serve'], env);
      await until(has('READY=1'));
      expect(systemd.messages()[0]).toStartWith('READY=1\nSTATUS=SMTP at 127.0.0.1:');
      await until(has('WATCHDOG=1', 3));
      server.kill('SIGHUP');
      await until(has('READY=1', 2));
      expect(systemd.messages().some((message) => /^RELOADING=1\nMONOTONIC_USEC=\d{6,}$/.test(message))).toBe(
        true,
      );
    }
    expect(systemd.messages().filter((message) => message === 'STOPPING=1')).toHaveLength(1);
  },
);

test('an invalid NOTIFY_SOCKET is reported and does not stop the start', async () => {
  const env = { POSTERN_DATA_DIR: join(folder.path, 'data'), NOTIFY_SOCKET: 'vsock:2:1234' };
  const server = await startServing(['serve'], env);
  await server[Symbol.asyncDispose]();
  expect(await server.stderr).toContain('systemd could not be notified');
});
