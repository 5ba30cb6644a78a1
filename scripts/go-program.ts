/** Programs in Go that tests and measurements use: built from pinned modules into .tools/, once. */
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const tools = resolve(import.meta.dir, '../.tools');

export interface GoProgram {
  name: string;
  module: string;
  command: string;
  /** What go.sum would have for the module; its own go.sum covers what it needs. */
  sum: string;
}

/** Let's Encrypt's own CA for tests. */
export const pebble: GoProgram = {
  name: 'pebble',
  module: 'github.com/letsencrypt/pebble/v2@v2.10.1',
  command: './cmd/pebble',
  sum: 'h1:oKHx3lgN4e5Nno2LKTMrVx+b+NkDptkO9aDireiBDGE=',
};

/** Debian has no package of it. It takes a minute to build on two cores. */
export const helm: GoProgram = {
  name: 'helm',
  module: 'helm.sh/helm/v3@v3.22.0',
  command: './cmd/helm',
  sum: 'h1:n1if5iQgHYsujPAcO5oonH/KiSNUmqmUF0iGVjSF3AU=',
};

/** Where it is once it has been built. */
export function goProgramPath({ name, module }: GoProgram): string {
  return join(tools, `${name}-${module.split('@')[1]}`, name);
}

/** What is missing, or null once it is there. */
export function buildGoProgram(wanted: GoProgram): string | null {
  const { module, command, sum } = wanted;
  const program = goProgramPath(wanted);
  const dir = dirname(program);
  if (existsSync(program)) return null;
  if (!Bun.which('go')) return 'there is no Go here to build it with';
  // The pinned sum is checked below instead, because some networks block Go's checksum database.
  const env = { ...process.env, GOFLAGS: '-mod=mod', GOSUMDB: 'off', CGO_ENABLED: '0' };
  const found = Bun.spawnSync(['go', 'mod', 'download', '-json', module], { env });
  const { Dir: source, Sum: given } = found.exitCode === 0 ? JSON.parse(found.stdout.toString()) : {};
  if (!source) return `its module ${module} can't be had`;
  if (given !== sum) return `its module has the sum ${given}, not ${sum}`;
  console.log(`building ${module} …`);
  mkdirSync(dir, { recursive: true });
  // Go builds in the folder of the sources, and may want to complete go.sum there.
  const copied = Bun.spawnSync(['cp', '-r', '--no-preserve=mode', source, join(dir, 'source')]);
  // Another process may be building it too, or already running it.
  const draft = `${program}-${process.pid}`;
  const built = Bun.spawnSync(['go', 'build', '-o', draft, command], { env, cwd: join(dir, 'source') });
  if (copied.exitCode !== 0 || built.exitCode !== 0) return `it can't be built: ${built.stderr}`;
  renameSync(draft, program);
  return null;
}
