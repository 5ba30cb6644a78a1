/**
 * Reports the server's state to systemd (sd_notify(3)): ready, reloading, stopping, and a heartbeat while the event
 * loop runs. Does nothing without NOTIFY_SOCKET. Bun has no datagrams on unix sockets, so the C library sends them.
 */
import { ptr } from 'bun:ffi';
import { readReason } from '../../platform/core/thrown.ts';
import { openCLibrary } from '../../platform/system/c-library.ts';

export interface ServiceManager {
  ready(status: string): void;
  reloading(): void;
  stopping(): void;
}

type Environment = Record<string, string | undefined>;

const silent: ServiceManager = { ready() {}, reloading() {}, stopping() {} };

/** Connects to systemd. Removes its variables from `env`, so that no child process reports for the server. */
export function connectServiceManager(env: Environment, onFault: (reason: string) => void): ServiceManager {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: watchdogUs, WATCHDOG_PID: watched = '' } = env;
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID'] as const) delete env[name];
  if (!socket) return silent;
  let system: ReturnType<typeof openSystem>;
  try {
    system = openSystem(socket);
  } catch (fault) {
    onFault(readReason(fault));
    return silent;
  }
  if (watchdogUs && (watched === '' || watched === String(process.pid))) {
    // Every half of the timeout, as sd_watchdog_enabled(3) recommends.
    setInterval(() => system.send('WATCHDOG=1'), Math.max(1, Number(watchdogUs) / 2000)).unref();
  }
  return {
    ready: (status) => system.send(`READY=1\nSTATUS=${status}`),
    reloading: () => system.send(`RELOADING=1\nMONOTONIC_USEC=${system.monotonicUs()}`),
    stopping: () => system.send('STOPPING=1'),
  };
}

// Linux: <sys/socket.h>, <time.h>.
const AF_UNIX = 1;
const SOCK_DGRAM_CLOEXEC = 0x80002;
const MSG_NOSIGNAL = 0x4000;
const CLOCK_MONOTONIC = 1;
/** sun_path of unix(7). */
const PATH_BYTES_MAX = 108;

function openSystem(socket: string) {
  const libc = openCLibrary({
    socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    sendto: { args: ['i32', 'ptr', 'u64', 'i32', 'ptr', 'u32'], returns: 'i64' },
    clock_gettime: { args: ['i32', 'ptr'], returns: 'i32' },
  });
  const address = encodeAddress(socket);
  const descriptor = libc.socket(AF_UNIX, SOCK_DGRAM_CLOEXEC, 0);
  if (descriptor < 0) throw new Error('no socket could be opened');
  return {
    /** A message that can't be sent is dropped; systemd's own timeouts then apply. */
    send(text: string) {
      const bytes = Buffer.from(text);
      libc.sendto(descriptor, ptr(bytes), bytes.length, MSG_NOSIGNAL, ptr(address), address.length);
    },
    monotonicUs(): bigint {
      const time = new BigInt64Array(2);
      libc.clock_gettime(CLOCK_MONOTONIC, ptr(time));
      return time[0]! * 1_000_000n + time[1]! / 1000n;
    },
  };
}

/** Encodes a struct sockaddr_un. A name that begins with @ is abstract: a zero byte in front, none at the end. */
function encodeAddress(socket: string): Buffer {
  const path = Buffer.from(socket.startsWith('@') ? `\0${socket.slice(1)}` : `${socket}\0`);
  if (!/^[@/]/.test(socket) || path.length > PATH_BYTES_MAX) {
    throw new Error(`NOTIFY_SOCKET is not a unix socket's name: ${socket}`);
  }
  const family = Buffer.alloc(2);
  family.writeUInt16LE(AF_UNIX);
  return Buffer.concat([family, path]);
}
