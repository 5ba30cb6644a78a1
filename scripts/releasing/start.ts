/** Starts an executable for another machine, where this one can. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findOwnTarget, targets } from '../targets.ts';
import { ReleaseError } from './run.ts';

/** Where Debian's cross packages have the libraries of arm64. */
const ARM64_ROOT = '/usr/aarch64-linux-gnu';

/** Long for an emulator on a busy machine: 6 s alone. */
const MAX_MS = 120_000;

/** Says how it started, or why it was not tried. Throws when it was and did not start. */
export function tryStart(target: string, executable: string): string {
  const way = findWay(target);
  if ('missing' in way) return `NOT STARTED: ${way.missing}`;
  const dir = mkdtempSync(join(tmpdir(), 'postern-start-'));
  try {
    // A command that needs the store, its threads and the addon.
    const args = ['account', 'create', '--email=build@postern.test', '--data-dir=data', '--json'];
    const done = Bun.spawnSync([...way.before, executable, ...args], { cwd: dir, env: {}, timeout: MAX_MS });
    if (done.exitCode === 0 && done.stdout.includes('"api_key"')) return `started ${way.how}`;
    throw new ReleaseError(`${target} does not start ${way.how}: ${done.stdout}${done.stderr}`);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

type Way = { before: string[]; how: string } | { missing: string };

function findWay(target: string): Way {
  const { os, cpu, loader } = targets[target]!;
  if (target === findOwnTarget()) return { before: [], how: 'here' };
  if (os === 'darwin') return { missing: 'this is not a Mac' };
  const isMusl = target.endsWith('-musl');
  // scripts/musl-root makes this one.
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

/** Starts "$2" with the arguments after it and `data` in the current folder, where "$1" is the root. */
const IN_ROOT = `set -e
root=$1 program=$2
shift 2
for folder in proc dev; do mount --rbind "/$folder" "$root/$folder"; done
mount --bind "$PWD" "$root/data"
touch "$root/postern"
mount --bind "$program" "$root/postern"
PATH=$PATH:/usr/sbin:/sbin exec chroot "$root" /postern "$@"`;

/** The executable finds its loader at a fixed path, and reads itself through /proc, so it needs a root of its own. */
function findChroot(root: string): Way {
  const enter = ['unshare', '--mount', '--map-root-user'];
  if (!Bun.which('unshare') || Bun.spawnSync([...enter, 'true'], { stderr: 'ignore' }).exitCode !== 0)
    return { missing: 'it needs a root folder of its own, which only root may make here' };
  return { before: [...enter, 'sh', '-c', IN_ROOT, 'sh', root], how: 'here, with musl' };
}
