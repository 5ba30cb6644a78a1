/**
 * Makes a release: `scripts/release [--outdir DIR] [--only TARGET,…]`. Two runs of the same commit write the same
 * bytes, wherever the clone is: times are the commit's, everything is sorted, and Bun is the pinned one.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { version } from '../package.json';
import { packArchive } from './releasing/archive.ts';
import { type Commit, readCommit } from './releasing/commit.ts';
import { packDeb } from './releasing/deb.ts';
import { ReleaseError, run } from './releasing/run.ts';
import { tryStart } from './releasing/start.ts';
import { writeIndex, writeSums } from './releasing/sums.ts';
import { targets } from './targets.ts';

const usage = `usage: scripts/release [--outdir DIR] [--only TARGET,…]   targets: ${Object.keys(targets).join(', ')}`;

function main(): void {
  const { outdir, wanted } = readArguments();
  const commit = readCommit();
  rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
  for (const target of wanted) makeFor(target, outdir, commit);
  writeIndex(outdir, commit);
  writeSums(outdir);
  console.log(run(['ls', '-l', outdir]).trimEnd());
}

function readArguments() {
  try {
    const { values } = parseArgs({ options: { outdir: { type: 'string' }, only: { type: 'string' } } });
    const wanted = values.only?.split(',') ?? Object.keys(targets);
    const unknown = wanted.find((target) => !targets[target]);
    if (unknown !== undefined) throw new Error(`unknown target ${unknown}`);
    return { outdir: resolve(values.outdir ?? 'dist/release'), wanted };
  } catch (fault) {
    stop(`${fault instanceof Error ? fault.message : fault}\n${usage}`, 2);
  }
}

function makeFor(target: string, outdir: string, { epoch }: Commit): void {
  const executable = join(outdir, `postern-${version}-${target}`);
  run(['scripts/build', '--target', target, '--outfile', executable]);
  console.log(`${target}: ${tryStart(target, executable)}`);
  packArchive(executable, target, epoch);
  packDeb(executable, target, epoch);
  rmSync(executable);
}

function stop(message: string, exitCode: number): never {
  console.error(message);
  process.exit(exitCode);
}

try {
  main();
} catch (fault) {
  if (fault instanceof ReleaseError) stop(fault.message, 1);
  throw fault;
}
