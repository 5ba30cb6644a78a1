/**
 * Builds the container image: an OCI layout in dist/image, and an archive of it for `docker load` and `podman load`. It
 * needs no daemon and no base image. The only layer has the executable, and from Debian's packages the C library that it
 * is linked to and root certificates. The same commit and packages produce the same bytes.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { version } from '../package.json';
import { readReason } from '../src/platform/core/thrown.ts';
import { makeConfig } from './container/config.ts';
import { type BuiltImage, type Compression, writeLayout } from './container/layout.ts';
import { isPlatform, type Platform, platforms } from './container/platforms.ts';
import { makeRoot } from './container/root.ts';
import { listTarOptions } from './reproducible-tar.ts';
import { stop } from './stop.ts';

const usage = `usage: scripts/image [--platform PLATFORM,…] [--out FOLDER] [--executable FILE] [--gzip] [--level N]
  --platform    ${Object.keys(platforms).join(',')}; all of them by default
  --out         folder for the OCI layout, dist/image by default; beside it are the archive FOLDER.tar and, in
                FOLDER-root/, the root of each platform
  --executable  use this executable instead of building one; needs a single --platform
  --gzip        compress with gzip instead of zstd, for tools older than 2021; a seventh larger
  --level       compression level; 10 for zstd and 9 for gzip by default`;

async function main(): Promise<void> {
  const { wanted, out, executable, compression } = readArguments();
  const roots = `${out}-root`;
  rmSync(out, { recursive: true, force: true });
  rmSync(roots, { recursive: true, force: true });
  const { createdS, revision } = readCommit();
  const images: BuiltImage[] = [];
  for (const platform of wanted) {
    const { arch, target } = platforms[platform];
    const root = join(roots, arch);
    makeRoot(platform, executable ?? build(target), root);
    images.push({ platform, root, config: makeConfig({ platform, version, revision, createdS }) });
  }
  const layers = await writeLayout(out, images, { compression, createdS, version });
  run(['tar', ...listTarOptions('gnu', createdS), '-C', out, '-cf', `${out}.tar`, '.']);
  for (const { platform, bytes } of layers) console.log(`${platform}: ${(bytes / 1e6).toFixed(1)} MB`);
  console.log(`${out} (an OCI layout), ${out}.tar (for docker load and podman load)`);
}

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        platform: { type: 'string', default: Object.keys(platforms).join(',') },
        out: { type: 'string', default: 'dist/image' },
        executable: { type: 'string' },
        gzip: { type: 'boolean', default: false },
        level: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) stop(usage, 0);
    const wanted = values.platform.split(',').map((name): Platform => {
      if (!isPlatform(name)) throw new Error(`unknown platform ${name}`);
      return name;
    });
    const { executable } = values;
    if (executable && wanted.length !== 1) throw new Error('--executable needs a single --platform');
    if (executable && !existsSync(executable)) throw new Error(`file ${executable} does not exist`);
    const tool = values.gzip ? 'gzip' : 'zstd';
    const level = Number(values.level ?? (values.gzip ? 9 : 10));
    if (!Number.isInteger(level) || level < 1 || level > 19)
      throw new Error('--level must be a number from 1 to 19');
    const compression: Compression = { tool, level: values.gzip ? Math.min(level, 9) : level };
    return { wanted, out: resolve(values.out), executable, compression };
  } catch (fault) {
    return stop(`${readReason(fault)}\n${usage}`, 2);
  }
}

function build(target: string): string {
  mkdirSync('dist', { recursive: true });
  const outfile = resolve(`dist/postern-${target}`);
  run([process.execPath, 'scripts/build.ts', '--target', target, '--outfile', outfile]);
  return outfile;
}

/** Returns the time and id of this commit. SOURCE_DATE_EPOCH overrides the time. */
function readCommit(): { createdS: number; revision: string } {
  const { exitCode, stdout } = Bun.spawnSync(['git', 'log', '-1', '--format=%ct %H'], { stderr: 'ignore' });
  const [time = '', revision = ''] = exitCode === 0 ? stdout.toString().trim().split(' ') : [];
  return { createdS: Number(process.env.SOURCE_DATE_EPOCH ?? time) || 0, revision };
}

function run(command: string[]): void {
  const done = Bun.spawnSync(command, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (done.exitCode !== 0) stop(`${command[0]} failed (see above).`, 1);
}

await main();
