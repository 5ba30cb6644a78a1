import { ptr } from 'bun:ffi';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { HEAP_BOUND, makeHeapEnv, WITHOUT_LAST_COMPILER } from '../platform/core/heap-bound.ts';
import { openCLibrary } from '../platform/system/c-library.ts';

/**
 * The memory that the engine assumes the machine to have, which bounds its garbage (platform/core/heap-bound.ts). Under a flood of
 * mail the appliance uses 227 to 240 MB with it, and 251 to 305 without, at the same speed (measured; a bound of 150 MB was
 * slower). It is set here, not in the systemd unit, so that it applies however the program is started.
 */
const BYTES = 512 * 1024 * 1024;

/** fcntl(2). */
const F_SETFD = 2;
/** Bun marks descriptors above this as close-on-exec, even inherited ones. */
const KEPT_FILES_MAX = 3;

/**
 * Restarts this program in place, once, with a bound on its garbage and without the last compiler: JavaScriptCore reads these options
 * only when it starts. execve(2) keeps the process, its arguments, its environment and its open files. It takes about 15 ms. If it
 * fails, the program goes on unbounded.
 */
export function startBounded(): void {
  if (process.env[HEAP_BOUND] !== undefined) return;
  try {
    const libc = openCLibrary({
      execve: { args: ['ptr', 'ptr', 'ptr'], returns: 'i32' },
      fcntl: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    });
    const argv = packStrings(readStrings('/proc/self/cmdline'));
    const added = { ...makeHeapEnv(BYTES), ...WITHOUT_LAST_COMPILER };
    const bounds = Object.entries(added).map((entry) => entry.join('='));
    const envp = packStrings([...readStrings('/proc/self/environ'), ...bounds]);
    for (const file of listGivenFiles()) libc.fcntl(file, F_SETFD, 0);
    // By the path first, so that the process keeps its name. The other one works even if that file was replaced.
    for (const path of packStrings([process.execPath, '/proc/self/exe']).texts)
      libc.execve(ptr(path), ptr(argv.pointers), ptr(envp.pointers));
  } catch {
    // Not Linux.
  }
}

/** Lists inherited descriptors, such as a lock or `--config <(…)`. Bun's own have no name. */
function listGivenFiles(): number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((file) => file > KEPT_FILES_MAX && isNamed(file));
}

function isNamed(file: number): boolean {
  try {
    return !readlinkSync(`/proc/self/fd/${file}`).startsWith('anon_inode:');
  } catch {
    // The descriptor of the directory listing itself, which is closed by now.
    return false;
  }
}

/** Keeps every byte: paths and names need not be UTF-8. */
const ENCODING = 'latin1';

function readStrings(file: string): string[] {
  return readFileSync(file, ENCODING).split('\0').slice(0, -1);
}

/** Makes a C array of strings: pointers, and a null at the end. `texts` keeps alive what they point to. */
function packStrings(list: readonly string[]): { pointers: BigUint64Array; texts: Buffer[] } {
  const texts = list.map((text) => Buffer.from(`${text}\0`, ENCODING));
  return { pointers: BigUint64Array.from([...texts.map((text) => BigInt(ptr(text))), 0n]), texts };
}
