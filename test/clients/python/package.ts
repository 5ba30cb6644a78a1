/** The Python package as pip installs it: built as sdist and wheel, and installed with only its dependencies. */
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runTool } from '../../peers/tools.ts';

const source = resolve(import.meta.dir, '../../../clients/python');
const requirements = join(source, 'tests/requirements.txt');

const SETUP_MS_MAX = 120_000;

export interface InstalledPackage extends Disposable {
  python: string;
  /** The folder with the tests and README.md, and without the sources. */
  dir: string;
  /** For PYTHONPATH: where the wheel is installed. */
  site: string;
  /** File names of the built packages. */
  built: string[];
}

/**
 * Returns the path of a Python that has what the tests need. It is in .tools, and made once for each version of the list.
 * Null if the packages can't be downloaded.
 */
export async function prepareEnvironment(): Promise<string | null> {
  const { output: version } = await runTool(['python3', '-VV']);
  const key = createHash('sha256')
    .update(version)
    .update(readFileSync(requirements))
    .digest('hex')
    .slice(0, 12);
  const folder = resolve(import.meta.dir, `../../../.tools/python-${key}`);
  const python = join(folder, 'bin/python');
  if (existsSync(join(folder, 'complete'))) return python;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(resolve(folder, '..'), { recursive: true });
  await runOrThrow(['python3', '-m', 'venv', folder]);
  const install = [
    python,
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '-r',
    requirements,
  ];
  const { exitCode, output } = await runTool(install, '', SETUP_MS_MAX);
  if (exitCode === 0) {
    mkdirSync(join(folder, 'complete'));
    return python;
  }
  rmSync(folder, { recursive: true, force: true });
  console.warn(`the tests of the Python client are left out; its packages can't be installed:\n${output}`);
  return null;
}

/** Builds the sdist, the wheel from that, and installs the wheel. */
export async function installPackage(python: string): Promise<InstalledPackage> {
  const dir = mkdtempSync(join(tmpdir(), 'postern-python-'));
  const [copy, built, site] = [join(dir, 'source'), join(dir, 'built'), join(dir, 'site')];
  cpSync(source, copy, { recursive: true, filter: (path) => !/__pycache__|\/\.\w+_cache/.test(path) });
  await runOrThrow([python, '-m', 'build', '--no-isolation', '--outdir', built, copy]);
  const names = readdirSync(built);
  const wheel = join(built, names.find((name) => name.endsWith('.whl'))!);
  const pip = [python, '-m', 'pip', '--disable-pip-version-check', 'install', '--quiet', '--no-deps'];
  await runOrThrow([...pip, '--no-index', '--target', site, wheel]);
  // The tests must find the installed package, so its sources go.
  renameSync(join(copy, 'src'), join(dir, 'unused'));
  return {
    python,
    dir: copy,
    site,
    built: names,
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  };
}

async function runOrThrow(command: string[]): Promise<void> {
  const { exitCode, output } = await runTool(command, '', SETUP_MS_MAX);
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${output}`);
}
