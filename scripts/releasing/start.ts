/** Tries to start an executable that was built for another machine. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findOwnTarget, targets } from '../targets.ts';
import { tryExecutable } from '../try-executable.ts';
import { ReleaseError } from './run.ts';

/** The folder in which Debian's cross packages have the libraries for arm64. */
const ARM64_ROOT = '/usr/aarch64-linux-gnu';

/** Enough for an emulator on a busy machine, which takes 6 s on an idle one. */
const MAX_MS = 120_000;

/** Returns how the executable was started, or why it was not tried. Throws if it does not start. */
export function tryStart(target: string, executable: string): string {
  const way = findStartMethod(target);
  if ('missing' in way) return `NOT STARTED: ${way.missing}`;
  const fault = tryExecutable([...way.before, executable], MAX_MS);
  if (fault === null) return `started ${way.how}`;
  throw new ReleaseError(`${target} does not start ${way.how}: ${fault}`);
}

type StartMethod = { before: string[]; how: string } | { missing: string };

function findStartMethod(target: string): StartMethod {
  const { os, cpu, loader } = targets[target]!;
  if (target === findOwnTarget()) return { before: [], how: 'here' };
  if (os === 'darwin') return { missing: 'this is not a Mac' };
  const isMusl = target.endsWith('-musl');
  // The folder with musl is made by scripts/musl-root.
  const root = (isMusl ? [resolve('.tools/musl', cpu)] : [ARM64_ROOT, '/']).find((folder) =>
    existsSync(join(folder, loader!)),
  );
  if (!root) {
    const remedy = isMusl ? `scripts/musl-root ${cpu}` : 'Debian: libstdc++6-arm64-cross';
    return { missing: `it needs ${loader} with libstdc++ (${remedy})` };
  }
  if (cpu === process.arch) return findChroot(root);
  const emulator = Bun.which('qemu-aarch64') ?? Bun.which('qemu-aarch64-static');
  if (cpu !== 'arm64' || !emulator) return { missing: 'it needs qemu-aarch64 (Debian: qemu-user)' };
  return { before: [emulator, '-L', root], how: `by ${emulator}${isMusl ? ' with musl' : ''}` };
}

/** Runs the program "$2", with the arguments after it, in the root folder "$1". Its folder `data` is the current folder. */
const IN_ROOT = `set -e
root=$1 program=$2
shift 2
for folder in proc dev; do mount --rbind "/$folder" "$root/$folder"; done
mount --bind "$PWD" "$root/data"
touch "$root/postern"
mount --bind "$program" "$root/postern"
PATH=$PATH:/usr/sbin:/sbin exec chroot "$root" /postern "$@"`;

/** Starts the executable in a root folder, because it needs its loader at a fixed path and reads itself through /proc. */
function findChroot(root: string): StartMethod {
  const enter = ['unshare', '--mount', '--map-root-user'];
  if (!Bun.which('unshare') || Bun.spawnSync([...enter, 'true'], { stderr: 'ignore' }).exitCode !== 0)
    return { missing: 'it needs a root folder of its own, for which this user has no permission' };
  return { before: [...enter, 'sh', '-c', IN_ROOT, 'sh', root], how: 'here, with musl' };
}
