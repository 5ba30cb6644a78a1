import { ptr } from 'bun:ffi';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { openCLibrary } from './c-library.ts';

/** fcntl(2). */
const F_SETFD = 2;
/** Bun marks descriptors above this as close-on-exec, even inherited ones. */
const KEPT_FILES_MAX = 3;

/**
 * Restarts this program in place: execve(2) keeps the process, its arguments, its environment and its open files, and ends all threads
 * but the caller's. It takes about 15 ms. Throws if the program can't be restarted; it then goes on.
 *
 * @param added variables to add to the environment.
 */
export function restart(added: Readonly<Record<string, string>>): never {
  const libc = openCLibrary({
    execve: { args: ['ptr', 'ptr', 'ptr'], returns: 'i32' },
    fcntl: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
  });
  const argv = packStrings(readStrings('/proc/self/cmdline'));
  const entries = Object.entries(added).map((entry) => entry.join('='));
  const envp = packStrings([...readStrings('/proc/self/environ'), ...entries]);
  for (const file of listGivenFiles()) libc.fcntl(file, F_SETFD, 0);
  // By the path first, so that the process keeps its name. The other one works even if that file was replaced.
  for (const path of packStrings([process.execPath, '/proc/self/exe']).texts)
    libc.execve(ptr(path), ptr(argv.pointers), ptr(envp.pointers));
  throw new Error('the system refused to restart the program');
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
