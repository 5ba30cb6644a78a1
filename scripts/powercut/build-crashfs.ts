/** Builds crashfs, the logging file system, or returns what this machine lacks for it. */
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const SOURCE = join(import.meta.dir, 'crashfs');
const BUILT = resolve('.tools/crashfs');

export type CrashfsBuild = { executable: string } | { missing: string };

export function buildCrashfs(): CrashfsBuild {
  const missing = findMissing();
  if (missing !== null) return { missing };
  mkdirSync(dirname(BUILT), { recursive: true });
  const build = Bun.spawnSync(['go', 'build', '-buildvcs=false', '-o', BUILT, '.'], {
    cwd: SOURCE,
    // Lets Debian build it without a C compiler.
    env: { ...process.env, CGO_ENABLED: '0' },
    stderr: 'pipe',
    stdout: 'ignore',
  });
  if (build.exitCode === 0) return { executable: BUILT };
  return { missing: `crashfs could not be built: ${build.stderr.toString().trim().split('\n').at(-1)}` };
}

function findMissing(): string | null {
  if (process.platform !== 'linux') return `this is ${process.platform}, and only Linux mounts it`;
  if (!Bun.which('go')) return 'Go is not installed (Debian: golang-go)';
  if (!existsSync('/dev/fuse')) return '/dev/fuse does not exist';
  try {
    accessSync('/dev/fuse', constants.R_OK | constants.W_OK);
  } catch {
    return 'this user may not open /dev/fuse';
  }
  return null;
}
