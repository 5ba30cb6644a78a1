/** Finds the real Litestream: the given binary, an installed one, or one that it builds with Go. */
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const VERSION = 'v0.5.18';
const TOOLS = resolve(import.meta.dir, '../../.tools');

export function findLitestream(given: string | undefined): { path: string } | { reason: string } {
  if (given !== undefined) {
    return existsSync(given) ? { path: resolve(given) } : { reason: `file ${given} does not exist` };
  }
  const built = join(TOOLS, `litestream-${VERSION}`, 'litestream');
  if (existsSync(built)) return { path: built };
  const found = Bun.which('litestream');
  if (found) return { path: found };
  if (!Bun.which('go'))
    return { reason: 'neither litestream nor go is on the PATH, and --binary is not given' };
  return build(built);
}

function build(target: string): { path: string } | { reason: string } {
  const folder = join(target, '..');
  mkdirSync(folder, { recursive: true });
  console.log(`Building Litestream ${VERSION} with Go; this takes minutes …`);
  const { exitCode, stderr } = Bun.spawnSync(
    ['go', 'install', `github.com/benbjohnson/litestream/cmd/litestream@${VERSION}`],
    { env: { ...process.env, GOBIN: folder }, stdout: 'ignore', stderr: 'pipe' },
  );
  if (exitCode === 0) return { path: target };
  return { reason: `go install failed: ${stderr.toString().trim().split('\n').at(-1)}` };
}

export function readVersion(binary: string): string {
  return Bun.spawnSync([binary, 'version'], { stderr: 'ignore' }).stdout.toString().trim();
}
