import { ptr } from 'bun:ffi';
import { BpfProgram, type Instruction } from './bpf.ts';
import { openCLibrary } from './c-library.ts';
import { hasCapabilities } from './capabilities.ts';
import {
  changingFiles,
  conditional,
  findingFiles,
  hiddenMemory,
  kernel,
  LATER_FROM,
  openingFiles,
  otherProcesses,
  programs,
  servingSockets,
  sockets,
} from './system-calls.ts';

/*
 * A process that reads mail from strangers gives up what it does not need, for good and in all its threads, before it reads the
 * first mail: it can start no process, reach no other one, and find and open no file and no socket (seccomp(2)). Its capabilities it
 * has given up before (capabilities.ts). A mail that makes it run code of its own finds nothing to steal, and nothing that it starts
 * outlives the process. What it may still do is to compute, to use memory, to read the files that it was passed, and to answer; for
 * these its parent has bounds (platform/process/watched-process.ts).
 *
 * The filter lists what is refused, not what is allowed: a new version of Bun or of the C library may need a call that this one
 * does not use, and a parser that can't work would stop all mail.
 */

/** What a confined process may do nevertheless. */
export interface Allowances {
  /** It finds and opens files, such as parts of its program, when they are first needed. It still can't change any by name. */
  files: boolean;
  /** It uses the internet: sockets of IPv4 and IPv6. */
  internet: boolean;
}

const machines = {
  x64: { column: 0, audit: 0xc000003e, seccomp: 317 },
  arm64: { column: 1, audit: 0xc00000b7, seccomp: 277 },
} as const;
type Machine = (typeof machines)[keyof typeof machines];

const PR_SET_NAME = 15;
const PR_SET_NO_NEW_PRIVS = 38;
/** <linux/seccomp.h>. */
const SECCOMP_SET_MODE_FILTER = 1;
const SECCOMP_FILTER_FLAG_TSYNC = 1;
/**
 * Linux before 5.16 slows down the code of a process with a filter, so that it can't guess at memory of the same process that it may
 * not read (Speculative Store Bypass). There is none: code of a mail could read all of it anyway. Later versions, browsers and container
 * runtimes do without it too. Linux before 4.17 does not know the flag.
 */
const SECCOMP_FILTER_FLAG_SPEC_ALLOW = 4;
const FLAGS_TO_TRY = [SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW, SECCOMP_FILTER_FLAG_TSYNC];

const NO_FILTERS =
  'the system refuses seccomp filters. Allow the call seccomp, in SystemCallFilter= or in the seccomp profile of the container';
const CAPABILITIES =
  'it still has capabilities, because it could not be restarted without them. Run the server as a user without any';

/** Confines this process. Throws if that is not possible, with a reason and advice for the log. */
export function confine(allowances: Allowances): void {
  const machine = machines[process.arch as keyof typeof machines];
  if (!machine) throw new Error(`the system calls of ${process.arch} are not known`);
  const libc = openCLibrary({
    prctl: { args: ['i32', 'u64', 'u64', 'u64', 'u64'], returns: 'i32' },
    setrlimit: { args: ['i32', 'ptr'], returns: 'i32' },
    syscall: { args: ['u64', 'u64', 'u64', 'ptr'], returns: 'i64' },
  });
  for (const [resource, limit] of listLimits(allowances))
    libc.setrlimit(resource, ptr(new BigUint64Array([limit, limit])));
  const { program } = new BpfProgram(buildFilter(machine, allowances));
  // Without it, only root may set a filter. The process only loses the right to start set-user-id programs.
  libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const setFilter = (flags: number) =>
    libc.syscall(machine.seccomp, SECCOMP_SET_MODE_FILTER, flags, ptr(program));
  if (!FLAGS_TO_TRY.some((flags) => Number(setFilter(flags)) === 0)) throw new Error(NO_FILTERS);
  if (hasCapabilities()) throw new Error(CAPABILITIES);
}

const RLIMIT_CORE = 4;
const RLIMIT_NOFILE = 7;

/** Limits that a process may only lower. */
function listLimits({ internet }: Allowances): [resource: number, limit: bigint][] {
  return [
    // The kernel writes the memory of a process that crashes into a file, in a folder that the process can choose.
    [RLIMIT_CORE, 0n],
    // What open files take of the kernel's memory is not in the process's size. A mail needs 20, the DNS one per question.
    [RLIMIT_NOFILE, internet ? 4096n : 256n],
  ];
}

const EPERM = 1;
const ENOSYS = 38;
/** CLONE_VM, CLONE_FS, CLONE_FILES, CLONE_SIGHAND and CLONE_THREAD: what all threads of a process share. */
const CLONE_SHARED = 0x10f00;
const AF_INET = 2;
const AF_INET6 = 10;
/** The default, TCP and UDP. The kernel would load the code of others when they are first used. */
const PROTOCOLS = [0, 6, 17];
const F_SETOWN = 8;
const F_SETOWN_EX = 15;
const F_SETLEASE = 1024;
const F_NOTIFY = 1026;
const FIONREAD = 0x541b;
const FIONBIO = 0x5421;
const FIOCLEX = 0x5451;
const MAP_SHARED = 1;
const SOL_SOCKET = 1;
const SO_ATTACH_FILTER = 26;
const SO_ATTACH_BPF = 50;
const SO_ATTACH_REUSEPORT_CBPF = 51;
const SO_ATTACH_REUSEPORT_EBPF = 52;
const SOCKET_PROGRAMS = [SO_ATTACH_FILTER, SO_ATTACH_BPF, SO_ATTACH_REUSEPORT_CBPF, SO_ATTACH_REUSEPORT_EBPF];

function buildFilter({ column, audit }: Machine, { files, internet }: Allowances): Instruction[] {
  const groups = [
    programs,
    otherProcesses,
    changingFiles,
    servingSockets,
    hiddenMemory,
    kernel,
    ...(files ? [] : [openingFiles, findingFiles]),
    ...(internet ? [] : [sockets]),
  ];
  const refused = groups.flatMap((group) => Object.values(group)).flatMap((call) => call[column] ?? []);
  const { clone, clone3, tgkill, tkill, prctl, prlimit64, fcntl, ioctl, mmap } = conditional;
  return [
    load(AT_MACHINE),
    ...unless(EQUAL, audit, [KILL]),
    load(AT_NUMBER),
    // Calls later than the list fail as on an older kernel, and so do those of the x32 ABI of x86-64, whose numbers are higher.
    ...when(AT_LEAST, LATER_FROM, [refuse(ENOSYS)]),
    ...refused.flatMap((call) => when(EQUAL, call, [refuse(EPERM)])),
    ...when(EQUAL, clone3[column], [refuse(ENOSYS)]),
    ...when(EQUAL, clone[column], allowAll(0, CLONE_SHARED)),
    ...when(EQUAL, tgkill[column], allowOnly(0, EQUAL, [process.pid])),
    ...when(EQUAL, tkill[column], allowOnly(0, EQUAL, [process.pid])),
    ...when(EQUAL, prctl[column], allowOnly(0, EQUAL, [PR_SET_NAME])),
    ...when(EQUAL, prlimit64[column], [
      load(at(0)),
      ...unless(EQUAL, 0, [refuse(EPERM)]),
      ...refuseOnly(1, EQUAL, [RLIMIT_CORE, RLIMIT_NOFILE]),
    ]),
    ...when(EQUAL, fcntl[column], refuseOnly(1, EQUAL, [F_SETOWN, F_SETOWN_EX, F_SETLEASE, F_NOTIFY])),
    ...when(EQUAL, ioctl[column], allowOnly(1, EQUAL, [FIONREAD, FIONBIO, FIOCLEX])),
    ...when(EQUAL, mmap[column], refuseOnly(3, HAS_BIT, [MAP_SHARED])),
    ...when(EQUAL, sockets.socket[column], [
      load(at(2)),
      ...PROTOCOLS.flatMap((protocol) => when(EQUAL, protocol, allowOnly(0, EQUAL, [AF_INET, AF_INET6]))),
      refuse(EPERM),
    ]),
    ...when(EQUAL, sockets.setsockopt[column], [
      load(at(1)),
      ...unless(EQUAL, SOL_SOCKET, [ALLOW]),
      ...refuseOnly(2, EQUAL, SOCKET_PROGRAMS),
    ]),
    ALLOW,
  ];
}

/*
 * The instructions of such a filter (<linux/filter.h>, <linux/seccomp.h>).
 */

/** Where struct seccomp_data has the number of the call and the machine. */
const AT_NUMBER = 0;
const AT_MACHINE = 4;

/** Where it has the low half of an argument. */
function at(argument: number): number {
  return 16 + argument * 8;
}

const LOAD = 0x20;
const AND = 0x54;
const GIVE = 0x06;
const EQUAL = 0x15;
const AT_LEAST = 0x35;
const HAS_BIT = 0x45;

const ALLOW: Instruction = [GIVE, 0, 0, 0x7fff0000];
const KILL: Instruction = [GIVE, 0, 0, 0x80000000];

/** The call fails with this error. */
function refuse(errno: number): Instruction {
  return [GIVE, 0, 0, 0x00050000 | errno];
}

function load(offset: number): Instruction {
  return [LOAD, 0, 0, offset];
}

function when(test: number, value: number, then: readonly Instruction[]): Instruction[] {
  return [[test, 0, then.length, value], ...then];
}

function unless(test: number, value: number, then: readonly Instruction[]): Instruction[] {
  return [[test, then.length, 0, value], ...then];
}

/** Refuses a call, unless an argument passes the test with one of the values. */
function allowOnly(argument: number, test: number, values: readonly number[]): Instruction[] {
  const allowed = values.flatMap((value) => when(test, value, [ALLOW]));
  return [load(at(argument)), ...allowed, refuse(EPERM)];
}

/** Refuses a call, unless an argument has all of these bits. */
function allowAll(argument: number, bits: number): Instruction[] {
  return [load(at(argument)), [AND, 0, 0, bits], ...when(EQUAL, bits, [ALLOW]), refuse(EPERM)];
}

/** Refuses a call if an argument passes the test with one of the values. */
function refuseOnly(argument: number, test: number, values: readonly number[]): Instruction[] {
  const refused = values.flatMap((value) => when(test, value, [refuse(EPERM)]));
  return [load(at(argument)), ...refused, ALLOW];
}
