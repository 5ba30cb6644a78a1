import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, placeFile, writeAll } from '../files/durable.ts';
import { openCLibrary } from '../system/c-library.ts';

/*
 * Loads the SQLite library inside the executable. Bun would unpack it to /tmp, which may be read-only or mounted noexec, and
 * then the program could not start. So it is written to a memory file, or where there are none, into the data folder. Every
 * thread must load it from the same path: two copies of SQLite in one process would release each other's file locks
 * (sqlite.org/howtocorrupt.html, 2.2.1).
 */

const MFD_CLOEXEC = 1;

type Addon = Record<string, unknown>;

let loaded: Addon | undefined;
let path: string | undefined;

/** Returns the path from which SQLite was loaded, to pass to new threads. Undefined in a source checkout. */
export function readAddonPath(): string | undefined {
  return path;
}

/** Loads, in a new thread, the copy that the main thread has loaded. */
export function shareAddon(shared: string | undefined): void {
  if (shared) loaded = load(shared);
  path = shared;
}

/** Loads the library for better-sqlite3. In a source checkout, better-sqlite3 finds its own. */
export async function prepareAddon(dataDir: string): Promise<void> {
  if (loaded) return;
  // scripts/build embeds the one for the target. If its name ended in .node, Bun would unpack it to /tmp.
  const embedded = Bun.embeddedFiles.find((blob) => /^sqlite-\w+\.bin$/.test((blob as File).name));
  if (!embedded) return;
  const bytes = await embedded.bytes();
  const faults: string[] = [];
  for (const place of [() => writeToMemory(bytes), () => writeToFolder(bytes, join(dataDir, 'run'))]) {
    try {
      path = place();
      loaded = load(path);
      return;
    } catch (fault) {
      faults.push(String(fault));
    }
  }
  throw new Error(explainAddonFaults(faults));
}

/** What helps, by the fault. Small systems, such as Alpine, come without the C++ library that SQLite's needs. */
const remedies: readonly [RegExp, string][] = [
  [
    /\blib(?:stdc\+\+|gcc_s)\.so/,
    'Install the C++ library of this system: `apk add libstdc++` on Alpine, `apt-get install libstdc++6` on Debian.',
  ],
  [/\bEFBIG\b/, 'Raise the limit on the size of files (LimitFSIZE=, ulimit -f).'],
  [/\bENOSPC\b/, 'Free space on the disk of the data folder.'],
];

/** Explains why the library could not be loaded. */
export function explainAddonFaults(faults: readonly string[]): string {
  const [, remedy] = remedies.find(([form]) => faults.some((fault) => form.test(fault))) ?? [
    null,
    'Put the data folder on a file system that is not mounted noexec.',
  ];
  return `SQLite could not be loaded. ${remedy} (${faults.join('; ')})`;
}

/** Returns the loaded library; undefined in a source checkout. */
export function findAddon(): Addon | undefined {
  return loaded;
}

function load(from: string): Addon {
  const module: { exports: Addon } = { exports: {} };
  process.dlopen(module, from);
  return module.exports;
}

function writeToMemory(bytes: Uint8Array): string {
  const libc = openCLibrary({ memfd_create: { args: ['cstring', 'u32'], returns: 'i32' } });
  const fd = libc.memfd_create(Buffer.from('postern-sqlite\0'), MFD_CLOEXEC);
  if (fd < 0) throw new Error('memfd_create failed');
  writeAll(fd, bytes);
  // The descriptor stays open for the life of the process: threads load the library through this name.
  const self = `/proc/self/fd/${fd}`;
  try {
    load(self);
  } catch (fault) {
    closeSync(fd);
    throw fault;
  }
  return self;
}

/** The file is not named better_sqlite3.node: Bun refuses to load a file of that name. */
function writeToFolder(bytes: Uint8Array, dir: string): string {
  makeFolder(dir);
  const target = join(dir, 'sqlite.node');
  placeFile(target, bytes, 0o700);
  return target;
}
