/** Programs in Go that tests and measurements use. They are built once, from pinned modules, into .tools/. */
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const tools = resolve(import.meta.dir, '../.tools');

export interface GoProgram {
  name: string;
  module: string;
  command: string;
  /** The module's checksum, as go.sum would have it. The module's own go.sum has those of its dependencies. */
  sum: string;
}

/** Let's Encrypt's own CA for tests. */
export const pebble: GoProgram = {
  name: 'pebble',
  module: 'github.com/letsencrypt/pebble/v2@v2.10.1',
  command: './cmd/pebble',
  sum: 'h1:oKHx3lgN4e5Nno2LKTMrVx+b+NkDptkO9aDireiBDGE=',
};

/** Helm, of which Debian has no package. It takes a minute to build on two cores. */
export const helm: GoProgram = {
  name: 'helm',
  module: 'helm.sh/helm/v3@v3.22.0',
  command: './cmd/helm',
  sum: 'h1:n1if5iQgHYsujPAcO5oonH/KiSNUmqmUF0iGVjSF3AU=',
};

/** Returns the path of the executable, which exists once it has been built. */
export function goProgramPath({ name, module }: GoProgram): string {
  return join(tools, `${name}-${module.split('@')[1]}`, name);
}

/** Builds a program unless it exists. Returns why it can't be built, or null if it exists. */
export function buildGoProgram(wanted: GoProgram): string | null {
  const { module, command, sum } = wanted;
  const program = goProgramPath(wanted);
  const dir = dirname(program);
  if (existsSync(program)) return null;
  if (!Bun.which('go')) return 'Go is not installed';
  // Without Go's checksum database, which some networks block: the pinned checksum is compared below.
  const env = { ...process.env, GOFLAGS: '-mod=mod', GOSUMDB: 'off', CGO_ENABLED: '0' };
  const found = Bun.spawnSync(['go', 'mod', 'download', '-json', module], { env });
  const { Dir: source, Sum: given } = found.exitCode === 0 ? JSON.parse(found.stdout.toString()) : {};
  if (!source) return `its module ${module} can't be downloaded`;
  if (given !== sum) return `its module has the checksum ${given}, not ${sum}`;
  console.log(`building ${module} …`);
  mkdirSync(dir, { recursive: true });
  // Built from a copy, because Go may add to go.sum in the folder of the sources.
  const copied = Bun.spawnSync(['cp', '-r', '--no-preserve=mode', source, join(dir, 'source')]);
  // Renamed into place at the end, because another process may be building it too, or already running it.
  const draft = `${program}-${process.pid}`;
  const built = Bun.spawnSync(['go', 'build', '-o', draft, command], { env, cwd: join(dir, 'source') });
  if (copied.exitCode !== 0 || built.exitCode !== 0) return `it can't be built: ${built.stderr}`;
  renameSync(draft, program);
  return null;
}
