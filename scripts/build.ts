/** Builds the single executable: `scripts/build [--target TARGET] [--outfile FILE]`. */
import { copyFileSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readReason } from '../src/platform/core/thrown.ts';
import { entries } from './entries.ts';
import { stop } from './stop.ts';
import { BUN_VERSION, findOwnTarget, targets } from './targets.ts';
import { tryExecutable } from './try-executable.ts';

const here = findOwnTarget();
const START_MS_MAX = 20_000;

function main(): void {
  const { target, outfile } = readArguments();
  const started = performance.now();
  mkdirSync(dirname(outfile), { recursive: true });
  compile(target, outfile);
  const sizeMb = Math.round(statSync(outfile).size / 1e6);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const fault = target === here ? tryExecutable([outfile], START_MS_MAX) : null;
  if (fault !== null) stop(`The executable was built but does not run: ${fault}`, 1);
  console.log(`${outfile}: ${target}, ${sizeMb} MB, in ${seconds} s`);
}

function readArguments() {
  const known = Object.keys(targets).join(', ');
  const usage = `usage: scripts/build [--target TARGET] [--outfile FILE]   targets: ${known}`;
  try {
    const { values } = parseArgs({
      options: { target: { type: 'string' }, outfile: { type: 'string' }, help: { type: 'boolean' } },
    });
    if (values.help) stop(usage, 0);
    const target = (values.target ?? here).replace(/^bun-/, '');
    if (!targets[target]) throw new Error(`unknown target ${target}`);
    const name = target === here ? 'dist/postern' : `dist/postern-${target}`;
    return { target, outfile: resolve(values.outfile ?? name) };
  } catch (fault) {
    stop(`${readReason(fault)}\n${usage}`, 2);
  }
}

function compile(target: string, outfile: string): void {
  const flags = ['--compile', '--minify', '--bytecode', '--format=esm', '--target', `bun-${target}`];
  // The executable must not read settings from the folder where it is started.
  flags.push('--no-compile-autoload-dotenv', '--no-compile-autoload-bunfig');
  // The bundler would write the path of better-sqlite3 into the executable, which would differ in each clone. Nothing is
  // read there, because the addon is embedded.
  flags.push('--define', '__dirname="/postern"');
  if (target !== here) flags.push(`--compile-executable-path=${installForeignBun(target)}`);
  const pages = resolve('.tools/pages.bin');
  run(['scripts/pages.ts', pages], 'The dashboard could not be built (see above).');
  const addon = copyAddon(target);
  // Threads are found by their path below the root, which must not depend on the paths of pages and addon.
  run(
    ['build', ...flags, '--root=src/app', `--outfile=${outfile}`, ...entries, pages, addon],
    'The build failed (see above).',
  );
}

/** Copies SQLite for the target to the name by which src/platform/store/addon.ts finds it, and returns its path. */
function copyAddon(target: string): string {
  const copy = resolve('.tools/addons', target, 'sqlite.bin');
  mkdirSync(dirname(copy), { recursive: true });
  copyFileSync(`node_modules/better-sqlite3/prebuilds/${targets[target]!.addon}.node`, copy);
  return copy;
}

/** Installs Bun for another machine from the npm registry, and returns its path. The build would download it elsewhere. */
function installForeignBun(target: string): string {
  const { runtime: name, os, cpu } = targets[target]!;
  const dir = resolve('.tools/runtimes', `${target}-${BUN_VERSION}`);
  const executable = join(dir, 'node_modules', name, 'bin/bun');
  if (existsSync(executable)) return executable;
  mkdirSync(dir, { recursive: true });
  const wanted = { private: true, dependencies: { [name]: BUN_VERSION } };
  writeFileSync(join(dir, 'package.json'), JSON.stringify(wanted));
  run(
    ['install', '--cwd', dir, `--os=${os}`, `--cpu=${cpu}`, '--linker=hoisted', '--no-save'],
    `${name} could not be installed; check that the npm registry is reachable.`,
  );
  return executable;
}

function run(args: string[], remedy: string): void {
  const done = Bun.spawnSync([process.execPath, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
  if (done.exitCode !== 0) stop(remedy, 1);
}

main();
