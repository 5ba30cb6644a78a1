/**
 * A process that is confined and then tries to do harm, as code of a mail that took it over would. Prints what came of each
 * attempt. Arguments: `internet` or `nothing`, a folder with the file `target`, the port of a server, and its own parent's id.
 */
import { dlopen, ptr } from 'bun:ffi';
import { pbkdf2, randomBytes } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  promises,
  readFileSync,
  renameSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompressSync } from 'node:zlib';
import { confine } from '../../../src/platform/system/confine.ts';

const [, , allowed, folder = '', port, parent] = process.argv;
const target = join(folder, 'target');
const parentId = Number(parent);

const libc = dlopen('libc.so.6', {
  fork: { args: [], returns: 'i32' },
  open: { args: ['ptr', 'i32'], returns: 'i32' },
  socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
  fcntl: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
  ioctl: { args: ['i32', 'u64', 'ptr'], returns: 'i32' },
  prctl: { args: ['i32', 'u64', 'u64', 'u64', 'u64'], returns: 'i32' },
  prlimit: { args: ['i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
  setpriority: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
  ptrace: { args: ['i32', 'i32', 'ptr', 'ptr'], returns: 'i64' },
  shmget: { args: ['i32', 'u64', 'i32'], returns: 'i32' },
  syscall: { args: ['u64', 'u64', 'u64', 'u64'], returns: 'i64' },
}).symbols;

const refusedIfMinus1 = (result: number | bigint) => {
  if (Number(result) === -1) throw new Error('refused');
};

const bytes = new Uint8Array(64);
const own = new Int32Array([parentId]);
const name = Buffer.from(`${target}\0`);

const attempts: Record<string, () => unknown> = {
  'read a file': () => readFileSync(target),
  'read a file in another thread': () => promises.readFile(target),
  'read a file by the C library': () => refusedIfMinus1(libc.open(ptr(name), 0)),
  'write a file': () => writeFileSync(join(folder, 'new'), 'x'),
  'overwrite a file': () => writeFileSync(target, 'x'),
  'cut a file': () => truncateSync(target, 0),
  'rename a file': () => renameSync(target, join(folder, 'renamed')),
  'change a mode': () => chmodSync(target, 0o777),
  'change a time': () => utimesSync(target, 1, 1),
  'delete a file': () => unlinkSync(target),
  'delete a file in another thread': () => promises.unlink(target),
  'make a folder': () => mkdirSync(join(folder, 'folder')),
  'make a link': () => symlinkSync(target, join(folder, 'link')),
  'run a program': () => Bun.spawnSync(['/bin/true']),
  fork() {
    const child = libc.fork();
    if (child === 0) process.kill(process.pid, 'SIGKILL');
    refusedIfMinus1(child);
  },
  'signal its parent': () => process.kill(parentId, 0),
  'signal its parent through a socket': () => refusedIfMinus1(libc.fcntl(1, 8, parentId)),
  'signal its parent through a device': () => refusedIfMinus1(libc.ioctl(1, 0x8901, ptr(own))),
  'slow down its parent': () => refusedIfMinus1(libc.setpriority(0, parentId, 0)),
  'reach the limits of its parent': () => refusedIfMinus1(libc.prlimit(parentId, 7, null, ptr(bytes))),
  'trace its parent': () => refusedIfMinus1(libc.ptrace(0x4206, parentId, null, null)),
  'outlive its parent': () => refusedIfMinus1(libc.prctl(1, 0, 0, 0, 0)),
  'share memory': () => refusedIfMinus1(libc.shmget(0, 4096, 0o1600)),
  'open a local socket': () => refusedIfMinus1(libc.socket(1, 1, 0)),
  'open a raw network socket': () => refusedIfMinus1(libc.socket(17, 3, 0)),
  'call with another numbering': () => refusedIfMinus1(libc.syscall(0x40000000 + 39, 0, 0, 0)),
  'open an internet socket': () => refusedIfMinus1(libc.socket(2, 1, 0)),
  'connect to a server': () => connect(),
};

/** What it needs for its work. */
const duties: Record<string, () => unknown> = {
  'use a thread': () => promisify(pbkdf2)('x', 'y', 1, 16, 'sha256'),
  compress: async () => zstdDecompressSync(await promisify(zstdCompress)(randomBytes(100_000))),
  'collect garbage': () => Bun.gc(true),
  wait: () => Bun.sleep(1),
};

function connect(): Promise<void> {
  return new Promise((settle, reject) => {
    const socket = createConnection({ host: '127.0.0.1', port: Number(port) });
    socket.once('connect', () => {
      socket.destroy();
      settle();
    });
    socket.once('error', reject);
  });
}

async function tryEach(list: Record<string, () => unknown>): Promise<[string, string][]> {
  const outcomes: [string, string][] = [];
  for (const [what, attempt] of Object.entries(list)) {
    try {
      await attempt();
      outcomes.push([what, 'done']);
    } catch {
      outcomes.push([what, 'refused']);
    }
  }
  return outcomes;
}

confine({ files: false, internet: allowed === 'internet' });
const outcomes = { attempts: await tryEach(attempts), duties: await tryEach(duties) };
writeSync(1, JSON.stringify(outcomes));
