/** What the server reports to systemd, through a datagram socket of our own as NOTIFY_SOCKET. */
import { dlopen, ptr } from 'bun:ffi';
import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { until } from '../../until.ts';
import { startServing } from './command-process.ts';
import { temporaryFolder } from './folder.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const MSG_DONTWAIT = 0x40;
const { symbols: libc } = dlopen('libc.so.6', {
  socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
  bind: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
  recv: { args: ['i32', 'ptr', 'u64', 'i32'], returns: 'i64' },
  close: { args: ['i32'], returns: 'i32' },
});

/** Listens as systemd does; `messages` has what has arrived so far. */
function listenAt(name: string) {
  const path = Buffer.from(name.startsWith('@') ? `\0${name.slice(1)}` : `${name}\0`);
  const address = Buffer.concat([Buffer.from(new Uint16Array([AF_UNIX]).buffer), path]);
  const descriptor = libc.socket(AF_UNIX, SOCK_DGRAM, 0);
  if (libc.bind(descriptor, ptr(address), address.length) !== 0) throw new Error(`no socket at ${name}`);
  const got: string[] = [];
  const bytes = Buffer.alloc(4096);
  return {
    messages(): string[] {
      for (;;) {
        const length = Number(libc.recv(descriptor, ptr(bytes), bytes.length, MSG_DONTWAIT));
        if (length <= 0) return got;
        got.push(bytes.toString('utf8', 0, length));
      }
    },
    [Symbol.dispose]: () => void libc.close(descriptor),
  };
}

test.each([
  ['a path', join(folder.path, 'notify.sock')],
  ['an abstract name', `@postern-test-${process.pid}`],
])(
  'systemd is notified when the server is ready, alive, reloading, ready again and stopping, over %s',
  async (_, name) => {
    using systemd = listenAt(name);
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
