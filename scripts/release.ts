/**
 * Builds a release: `scripts/release [--outdir DIR] [--only TARGET,…] [--url URL]`. Two runs of the same commit write the
 * same bytes, wherever the clone is, and whatever umask, locale or tar options its user has: all times are the commit's,
 * everything is sorted, and Bun is the pinned one.
 */
import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { version } from '../package.json';
import { readReason } from '../src/platform/core/thrown.ts';
import { type Contents, packArchive } from './releasing/archive.ts';
import { readCommit } from './releasing/commit.ts';
import { packDeb } from './releasing/deb.ts';
import { listParts, writeNotices } from './releasing/parts.ts';
import { writeRecipes } from './releasing/recipes.ts';
import { ReleaseError, run } from './releasing/run.ts';
import { writeSbom } from './releasing/sbom.ts';
import { tryStart } from './releasing/start.ts';
import { writeIndex, writeSums } from './releasing/sums.ts';
import { stop } from './stop.ts';
import { targets } from './targets.ts';

const options = {
  outdir: { type: 'string' },
  only: { type: 'string' },
  url: { type: 'string' },
  help: { type: 'boolean' },
} as const;
/** The address in the recipes without --url. */
const ADDRESS = `https://releases.example.com/${version}`;
const usage = `usage: scripts/release [--outdir DIR] [--only TARGET,…] [--url URL]   targets: ${Object.keys(targets).join(', ')}`;

function main(): void {
  process.umask(0o022);
  // GNU tar would add these options.
  delete process.env.TAR_OPTIONS;
  const { outdir, wanted, url } = readArguments();
  const commit = readCommit();
  rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
  const parts = listParts();
  const generated = { 'THIRD-PARTY.txt': writeNotices(parts), 'sbom.cdx.json': writeSbom(parts, commit) };
  for (const target of wanted) makeFor(target, outdir, { epoch: commit.epoch, generated });
  for (const name of writeRecipes(outdir, url))
    console.log(`${name}: SKIPPED, not all of its archives were made`);
  writeFileSync(join(outdir, `postern-${version}.cdx.json`), generated['sbom.cdx.json']);
  copyFileSync('install.sh', join(outdir, 'install.sh'));
  chmodSync(join(outdir, 'install.sh'), 0o755);
  writeIndex(outdir, commit);
  writeSums(outdir);
  console.log(run(['ls', '-l', outdir]).trimEnd());
  if (url === ADDRESS)
    console.log(`The recipes have the address ${ADDRESS}. Use --url to set where the release is published.`);
}

function readArguments() {
  try {
    const { values } = parseArgs({ options });
    if (values.help) stop(usage, 0);
    const wanted = values.only?.split(',') ?? Object.keys(targets);
    const unknown = wanted.find((target) => !targets[target]);
    if (unknown !== undefined) throw new Error(`unknown target ${unknown}`);
    return { outdir: resolve(values.outdir ?? 'dist/release'), wanted, url: values.url ?? ADDRESS };
  } catch (fault) {
    stop(`${readReason(fault)}\n${usage}`, 2);
  }
}

function makeFor(target: string, outdir: string, contents: Contents): void {
  const executable = join(outdir, `postern-${version}-${target}`);
  run(['scripts/build', '--target', target, '--outfile', executable]);
  console.log(`${target}: ${tryStart(target, executable)}`);
  packArchive(executable, target, contents);
  packDeb(executable, target, contents);
  rmSync(executable);
}

try {
  main();
} catch (fault) {
  if (fault instanceof ReleaseError) stop(fault.message, 1);
  throw fault;
}
