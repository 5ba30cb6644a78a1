import { dlopen } from 'bun:ffi';

const PR_SET_PDEATHSIG = 1;
const SIGKILL = 9;

/** A child that is busy with a hostile mail does not notice the disconnect, so the kernel kills it (prctl(2)). */
export function dieWithParent(): void {
  try {
    const libc = dlopen('libc.so.6', {
      prctl: { args: ['i32', 'u64', 'u64', 'u64', 'u64'], returns: 'i32' },
    });
    libc.symbols.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  } catch {
    // Not Linux with glibc: the process ends when its work is done.
  }
}
