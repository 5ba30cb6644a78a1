/**
 * A process that is confined and then tries to do harm, as code of a mail that took it over would. Prints what came of each
 * attempt. Arguments: `internet` or `nothing`, a folder with the file `target`, the port of a server, and its own parent's id.
 */
import { dlopen, ptr, read } from 'bun:ffi';
import { pbkdf2, randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  openSync,
  promises,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
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
import { BpfProgram } from '../../../src/platform/system/bpf.ts';
import { startWithoutCapabilities } from '../../../src/platform/system/capabilities.ts';
import { confine } from '../../../src/platform/system/confine.ts';

startWithoutCapabilities();

const CLONE = process.arch === 'x64' ? 56 : 220;
const SECCOMP = process.arch === 'x64' ? 317 : 277;
const TKILL = process.arch === 'x64' ? 200 : 130;
const MAP_SHARED = 1;
const MAP_ANONYMOUS = 0x20;
const F_SETLEASE = 1024;
const FS_IOC_GETFLAGS = 0x80086601;
const RLIMIT_CORE = 4;
const AF_UNIX = 1;
const AF_INET = 2;
const SOCK_STREAM = 1;
const SOCK_DGRAM = 2;
const SOCK_RAW = 3;
const IPPROTO_ICMP = 1;
const IPPROTO_MPTCP = 262;
const SOL_SOCKET = 1;
const SO_ATTACH_FILTER = 26;
const SIGCONT = 18;
const S_IFCHR = 0o020000;
/** Memory, folder, signals and process are shared. Open files are not; a new user namespace is invalid for a thread. */
const THREAD_WITH_OWN_FILES = 0x10b00 | 0x10000000;
const SECCOMP_GET_ACTION_AVAIL = 2;
const CAPABILITY_VERSION_3 = 0x20080522;
const unlimited = new BigUint64Array(2).fill(2n ** 64n - 1n);

const [, , allowed, folder = '', port, parent] = process.argv;
const target = join(folder, 'target');
const parentId = Number(parent);
/** The first port that everyone may serve. */
const freePorts = Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));

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
  socketpair: { args: ['i32', 'i32', 'i32', 'ptr'], returns: 'i32' },
  memfd_create: { args: ['ptr', 'u32'], returns: 'i32' },
  mmap: { args: ['u64', 'u64', 'i32', 'i32', 'i32', 'i64'], returns: 'i64' },
  listen: { args: ['i32', 'i32'], returns: 'i32' },
  setrlimit: { args: ['i32', 'ptr'], returns: 'i32' },
  mknod: { args: ['ptr', 'u32', 'u64'], returns: 'i32' },
  kill: { args: ['i32', 'i32'], returns: 'i32' },
  process_vm_readv: { args: ['i32', 'ptr', 'u64', 'ptr', 'u64', 'u64'], returns: 'i64' },
  capset: { args: ['ptr', 'ptr'], returns: 'i32' },
  pipe: { args: ['ptr'], returns: 'i32' },
  epoll_create1: { args: ['i32'], returns: 'i32' },
  bind: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
  setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
  __errno_location: { args: [], returns: 'ptr' },
  setresuid: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
  syscall: { args: ['u64', 'u64', 'ptr', 'u64', 'ptr', 'ptr', 'u64'], returns: 'i64' },
}).symbols;

const refusedIfMinus1 = (result: number | bigint) => {
  if (Number(result) === -1) throw new Error('refused');
};

const bytes = new Uint8Array(64);
const own = new Int32Array([parentId]);
const allSets = new Uint32Array(6).fill(0xffffffff);
/** SECCOMP_RET_ALLOW. */
const allowAction = new Uint32Array([0x7fff0000]);
const name = Buffer.from(`${target}\0`);
/** As if its parent had passed it. */
const passed = openSync(target, 'r');

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
  'learn whether a file exists': () => statSync(target),
  'read a link': () => readlinkSync('/proc/self/exe'),
  'enter a folder': () => process.chdir(folder),
  'change an owner': () => chownSync(target, 0, 0),
  'make a device': () =>
    refusedIfMinus1(libc.mknod(ptr(Buffer.from(`${folder}/null\0`)), S_IFCHR | 0o600, 0x103n)),
  'make a folder': () => mkdirSync(join(folder, 'folder')),
  'make a link': () => symlinkSync(target, join(folder, 'link')),
  'run a program': () => Bun.spawnSync(['/bin/true']),
  fork() {
    const child = libc.fork();
    if (child === 0) process.kill(process.pid, 'SIGKILL');
    refusedIfMinus1(child);
  },
  'signal its parent': () => process.kill(parentId, 0),
  'signal its parent by the C library': () => refusedIfMinus1(libc.kill(parentId, SIGCONT)),
  'read the memory of its parent': () => refusedIfMinus1(readMemory()),
  'signal a thread of its parent': () =>
    refusedIfMinus1(libc.syscall(TKILL, parentId, null, 0, null, null, 0)),
  'signal its parent through a socket': () => refusedIfMinus1(libc.fcntl(1, 8, parentId)),
  'signal its parent through a device': () => refusedIfMinus1(libc.ioctl(1, 0x8901, ptr(own))),
  'slow down its parent': () => refusedIfMinus1(libc.setpriority(0, parentId, 0)),
  'reach the limits of its parent': () => refusedIfMinus1(libc.prlimit(parentId, 7, null, ptr(bytes))),
  'trace its parent': () => refusedIfMinus1(libc.ptrace(0x4206, parentId, null, null)),
  'outlive its parent': () => refusedIfMinus1(libc.prctl(1, 0, 0, 0, 0)),
  'share memory': () => refusedIfMinus1(libc.shmget(0, 4096, 0o1600)),
  'hide memory in a file': () => refusedIfMinus1(libc.memfd_create(ptr(name), 0)),
  'hide memory by sharing it': () =>
    refusedIfMinus1(libc.mmap(0, 4096, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0)),
  'have its parent wait for a file': () => refusedIfMinus1(libc.fcntl(passed, F_SETLEASE, 1)),
  'read the flags of a file': () => refusedIfMinus1(libc.ioctl(passed, FS_IOC_GETFLAGS, ptr(bytes))),
  'label a file by a later call': () => refusedIfMinus1(setLabel()),
  'have its memory written to a file': () => refusedIfMinus1(libc.setrlimit(RLIMIT_CORE, ptr(unlimited))),
  'change its user': () => refusedIfMinus1(libc.setresuid(-1, -1, -1)),
  'regain capabilities': () =>
    refusedIfMinus1(libc.capset(ptr(new Uint32Array([CAPABILITY_VERSION_3, 0])), ptr(allSets))),
  'set a filter': () =>
    refusedIfMinus1(
      libc.syscall(SECCOMP, SECCOMP_GET_ACTION_AVAIL, null, BigInt(ptr(allowAction)), null, null, 0),
    ),
  'start a thread with its own open files': () => startThread(),
  'hide memory in a pipe': () => refusedIfMinus1(libc.pipe(ptr(bytes))),
  'watch more than the engine does': () => refusedIfMinus1(libc.epoll_create1(0)),
  'send to a local socket': () => refusedIfMinus1(libc.socketpair(AF_UNIX, SOCK_DGRAM, 0, ptr(bytes))),
  'open a local socket': () => refusedIfMinus1(libc.socket(1, 1, 0)),
  'open a raw network socket': () => refusedIfMinus1(libc.socket(17, 3, 0)),
  'open a raw internet socket': () => refusedIfMinus1(libc.socket(AF_INET, SOCK_RAW, IPPROTO_ICMP)),
  'open a socket of a rare protocol': () => refusedIfMinus1(libc.socket(AF_INET, SOCK_STREAM, IPPROTO_MPTCP)),
  'use a privileged port': () => refusedIfMinus1(bindPrivileged()),
  'have the kernel run a program': () => refusedIfMinus1(attachFilter()),
  'call with another numbering': () =>
    refusedIfMinus1(libc.syscall(0x40000000 + 39, 0, null, 0, null, null, 0)),
  'open an internet socket': () => refusedIfMinus1(libc.socket(2, 1, 0)),
  'serve at a port': () => refusedIfMinus1(libc.listen(libc.socket(2, 1, 0), 1)),
  'connect to a server': () => connect(),
};

function readMemory(): bigint | number {
  const here = new BigUint64Array([BigInt(ptr(bytes)), 8n]);
  return libc.process_vm_readv(parentId, ptr(here), 1, ptr(here), 1, 0);
}

/** The kernel itself answers EINVAL. */
function startThread(): void {
  libc.syscall(CLONE, THREAD_WITH_OWN_FILES, null, 0, null, null, 0);
  if (read.i32(libc.__errno_location()!, 0) === 1) throw new Error('refused');
}

function bindPrivileged(): number {
  if (freePorts <= 1) throw new Error('no port is privileged here');
  const address = new Uint8Array([AF_INET, 0, 0, 1, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
  return libc.bind(libc.socket(AF_INET, SOCK_DGRAM, 0), ptr(address), address.length);
}

function attachFilter(): number {
  const { program } = new BpfProgram([[0x06, 0, 0, 0]]);
  return libc.setsockopt(libc.socket(AF_INET, SOCK_DGRAM, 0), SOL_SOCKET, SO_ATTACH_FILTER, ptr(program), 16);
}

/** setxattrat(2), which is newer than the filter's list. */
function setLabel(): bigint | number {
  const label = Buffer.from('user.a\0');
  const value = new BigUint64Array([BigInt(ptr(bytes)), 1n]);
  return libc.syscall(463, 0, ptr(name), 0, ptr(label), ptr(value), 16);
}

/** What it needs for its work. */
const duties: Record<string, () => unknown> = {
  'use a thread': () => promisify(pbkdf2)('x', 'y', 1, 16, 'sha256'),
  compress: async () => zstdDecompressSync(await promisify(zstdCompress)(randomBytes(100_000))),
  'collect garbage': () => Bun.gc(true),
  'stop its main thread, as musl does for that': () =>
    refusedIfMinus1(libc.syscall(TKILL, process.pid, null, 0, null, null, 0)),
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
