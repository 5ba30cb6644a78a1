import { ptr, read } from 'bun:ffi';
import { readFileSync } from 'node:fs';
import { openCLibrary } from './c-library.ts';
import { restart } from './restart.ts';

/*
 * Capabilities, the parts of root's power (capabilities(7)). A process has them if root starts it, also in a container, or systemd
 * with AmbientCapabilities=, or if its file has some (setcap(8)).
 */

const PR_SET_NO_NEW_PRIVS = 38;
/** <linux/capability.h>: this version has two sets of 32 bits, each with what is effective, permitted and inheritable. */
const CAPABILITY_VERSION_3 = 0x20080522;
const SET_WORDS = 6;
const EFFECTIVE = 0;
const PERMITTED = 1;
const KINDS = 3;

/** Whether other threads still have what this one has given up. */
let isPartial = false;

/** In the environment of a process that was restarted by `startWithoutCapabilities`, so that none is restarted again and again. */
const RESTARTED = 'WITHOUT_CAPABILITIES';

/**
 * Gives up all capabilities of this process, for good. Each thread has its own, and Bun has several threads before it runs any code
 * of ours, so the process is restarted: execve(2) leaves only this thread, and all later ones inherit from it. The execve(2) of root
 * would give them back, but not with PR_SET_NO_NEW_PRIVS. If any of this fails, the process goes on, and confine.ts reports it.
 *
 * It keeps its user. As another one, it would also need a parent that may signal it (CAP_KILL), which not every container has.
 */
export function startWithoutCapabilities(): void {
  if (process.platform !== 'linux' || process.env[RESTARTED] !== undefined) return;
  try {
    const libc = openCLibrary({
      prctl: { args: ['i32', 'u64', 'u64', 'u64', 'u64'], returns: 'i32' },
      capset: { args: ['ptr', 'ptr'], returns: 'i32' },
    });
    const setThread = (sets: Uint32Array) => libc.capset(ptr(makeHeader()), ptr(sets)) === 0;
    if (!hasCapabilities() || libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) !== 0) return;
    const sets = readSets();
    const unused = sets.map((word, at) => (at % KINDS === EFFECTIVE ? 0 : word));
    if (!setThread(unused)) return;
    if (!canReadProgram()) {
      setThread(sets);
      return;
    }
    isPartial = setThread(new Uint32Array(SET_WORDS));
    if (isPartial) restart({ [RESTARTED]: '1' });
  } catch {
    // The system lacks one of these calls, or /proc.
  }
}

/** Whether this process may use any capability. */
export function hasCapabilities(): boolean {
  return isPartial || readSets().some((word, at) => at % KINDS === PERMITTED && word !== 0);
}

/** Returns the sets of this thread. */
function readSets(): Uint32Array {
  const libc = openCLibrary({ capget: { args: ['ptr', 'ptr'], returns: 'i32' } });
  // Whatever the system does not report counts as a capability.
  const sets = new Uint32Array(SET_WORDS).fill(0xffffffff);
  libc.capget(ptr(makeHeader()), ptr(sets));
  // Read by address: Bun's JIT assumes that a C call leaves an array unchanged.
  return sets.map((_, at) => read.u32(ptr(sets), at * sets.BYTES_PER_ELEMENT));
}

/** struct __user_cap_header_struct, for the calling thread. */
function makeHeader(): Uint32Array {
  return new Uint32Array([CAPABILITY_VERSION_3, 0]);
}

/** Whether the program can be read without capabilities: root may have started another user's sources. */
function canReadProgram(): boolean {
  try {
    return isExecutable || readFileSync(Bun.main).length > 0;
  } catch {
    return false;
  }
}

const isExecutable = import.meta.path.startsWith('/$bunfs');
