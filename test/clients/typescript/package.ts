/** The package as a user installs it: the file that scripts/build-clients makes, in an empty project. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dir, '../../..');
const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];

export interface InstalledClient extends Disposable {
  /** The project. */
  dir: string;
  /** Files of the package. */
  files: string[];
}

interface Project {
  /** Its folder, as a tar archive. */
  archive: Uint8Array;
  files: string[];
}

/** The package that all test files in a process share: making it takes two seconds of processor time. */
let made: Promise<Project> | undefined;

/** Returns a project with the client as npm installs it. */
export async function installClient(): Promise<InstalledClient> {
  made ??= makeProject();
  const { archive, files } = await made;
  const dir = mkdtempSync(join(tmpdir(), 'postern-client-'));
  const { exitCode } = Bun.spawnSync(['tar', '-x', '-C', dir], { stdin: archive });
  if (exitCode !== 0) throw new Error(`tar ended with ${exitCode}`);
  return { dir, files, [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }) };
}

/** Builds the client and installs it. */
async function makeProject(): Promise<Project> {
  const dir = mkdtempSync(join(tmpdir(), 'postern-client-'));
  const built = join(dir, 'built');
  await runOrThrow([process.execPath, join(root, 'scripts/build-clients.ts'), built], dir);
  const packed = `${built}.tgz`;
  const list = await runOrThrow(['tar', '-tzf', packed], dir);
  const files = list
    .trim()
    .split('\n')
    .map((path) => path.replace(/^package\//, ''));
  writeFileSync(join(dir, 'package.json'), '{"private":true,"type":"module"}');
  await runOrThrow(['npm', 'install', '--offline', ...quiet, packed], dir);
  const archive = new Uint8Array(Bun.spawnSync(['tar', '-c', '-C', dir, '.']).stdout);
  rmSync(dir, { recursive: true });
  return { archive, files };
}

/** Bundles a script of the tests for Node, without the package, which it finds in the project. */
export async function bundleFor(dir: string, entry: string, name: string): Promise<string> {
  const { success, logs } = await Bun.build({
    entrypoints: [entry],
    target: 'node',
    outdir: dir,
    naming: name,
    external: ['@postern/client'],
  });
  if (!success) throw new Error(logs.join('\n'));
  return join(dir, name);
}

async function runOrThrow(command: string[], cwd: string): Promise<string> {
  const child = Bun.spawn(command, {
    cwd,
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 60_000,
    env: { ...process.env, BUN_BE_BUN: '1' },
  });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}: ${out}${err}`);
  return out;
}
