import { ptr, read } from 'bun:ffi';
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
const PERMITTED_BYTES_AT = [4, 16];

/** Whether other threads still have what this one has given up. */
let isPartial = false;

/** In the environment of a process that was restarted by `startWithoutCapabilities`, so that none is restarted again and again. */
const RESTARTED = 'WITHOUT_CAPABILITIES';

/**
 * Gives up all capabilities of this process, for good. Each thread has its own, and Bun has several threads before it runs any code
 * of ours, so the process is restarted: execve(2) leaves only this thread, and all later ones inherit from it. The execve(2) of root
 * would give them back, but not with PR_SET_NO_NEW_PRIVS. If any of this fails, the process goes on,
 * and confine.ts reports it.
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
    if (!hasCapabilities() || libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) !== 0) return;
    isPartial = libc.capset(ptr(makeHeader()), ptr(new Uint32Array(SET_WORDS))) === 0;
    if (isPartial) restart({ [RESTARTED]: '1' });
  } catch {
    // The system lacks one of these calls, or /proc.
  }
}

/** Whether this process may use any capability. */
export function hasCapabilities(): boolean {
  if (isPartial) return true;
  const libc = openCLibrary({ capget: { args: ['ptr', 'ptr'], returns: 'i32' } });
  // Whatever the system does not report counts as one.
  const sets = new Uint32Array(SET_WORDS).fill(0xffffffff);
  libc.capget(ptr(makeHeader()), ptr(sets));
  // Read by address: Bun's JIT assumes that a C call leaves an array unchanged.
  return PERMITTED_BYTES_AT.some((at) => read.u32(ptr(sets), at) !== 0);
}

/** struct __user_cap_header_struct, for the calling thread. */
function makeHeader(): Uint32Array {
  return new Uint32Array([CAPABILITY_VERSION_3, 0]);
}
