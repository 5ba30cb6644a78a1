/** Starts an executable for another machine, where this one can. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  if (cpu === process.arch) {
    return existsSync(loader!) && hasMuslCpp()
      ? { before: [], how: 'here' }
      : { missing: `it needs ${loader} with libstdc++, as on Alpine` };
  }
  const emulator = Bun.which('qemu-aarch64') ?? Bun.which('qemu-aarch64-static');
  if (cpu !== 'arm64' || !emulator) return { missing: 'it needs qemu-aarch64 (Debian: qemu-user)' };
  const root = [ARM64_ROOT, '/'].find((folder) => existsSync(join(folder, loader!)));
  if (!root)
    return {
      missing: `it needs ${loader} in ${ARM64_ROOT} (Debian has it for glibc: libstdc++6-arm64-cross)`,
    };
  return { before: [emulator, '-L', root], how: `by ${emulator}` };
}

/** Alpine's C++ library: Debian has only musl itself. */
const hasMuslCpp = () => existsSync('/usr/lib/libstdc++.so.6') && !existsSync('/lib64/ld-linux-x86-64.so.2');
