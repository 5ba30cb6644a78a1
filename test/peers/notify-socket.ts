/** A stand-in for systemd: the datagram socket at which a server reports its state (sd_notify(3)). */
import { dlopen, ptr } from 'bun:ffi';

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const MSG_DONTWAIT = 0x40;
const { symbols: libc } = dlopen('libc.so.6', {
  socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
  bind: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
  recv: { args: ['i32', 'ptr', 'u64', 'i32'], returns: 'i64' },
  close: { args: ['i32'], returns: 'i32' },
});

/** Listens at a path, or at an abstract name that begins with @. `messages` returns what has arrived so far. */
export function listenAsManager(name: string) {
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
