import { dlopen } from 'bun:ffi';

const PR_SET_PDEATHSIG = 1;
const SIGKILL = 9;

/** Held by a hostile mail, a child process would not hear of the disconnect: the kernel ends it then (prctl(2)). */
export function dieWithParent(): void {
  try {
    const libc = dlopen('libc.so.6', {
      prctl: { args: ['i32', 'u64', 'u64', 'u64', 'u64'], returns: 'i32' },
    });
    libc.symbols.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  } catch {
    // Another system than Linux with glibc: it ends when it is done.
  }
}
