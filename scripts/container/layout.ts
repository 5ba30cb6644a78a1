/** Writes an OCI image layout (image-spec 1.1). The same files always produce the same bytes. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listTarOptions } from '../reproducible-tar.ts';
import { formatTime, type ImageConfig } from './config.ts';
import { type Platform, platforms } from './platforms.ts';
import { USER_ID } from './root.ts';

export interface BuiltImage {
  platform: Platform;
  root: string;
  config: ImageConfig;
}

export interface Compression {
  tool: 'zstd' | 'gzip';
  level: number;
}

export interface LayoutOptions {
  compression: Compression;
  createdS: number;
  version: string;
}

interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
}

const OCI = 'application/vnd.oci.image';

/** Writes the layout, and returns the number of bytes to download for each platform. */
export async function writeLayout(
  out: string,
  images: readonly BuiltImage[],
  { compression, createdS, version }: LayoutOptions,
): Promise<{ platform: Platform; bytes: number }[]> {
  const blobs = join(out, 'blobs/sha256');
  mkdirSync(blobs, { recursive: true });
  const manifests = [];
  const sizes = [];
  for (const { platform, root, config } of images) {
    const { layer, diffId } = makeLayer(blobs, root, createdS, compression);
    const entry = { created: formatTime(createdS), created_by: 'scripts/image' };
    const whole = { ...config, rootfs: { type: 'layers', diff_ids: [diffId] }, history: [entry] };
    const manifest = putJson(blobs, `${OCI}.manifest.v1+json`, {
      schemaVersion: 2,
      mediaType: `${OCI}.manifest.v1+json`,
      config: putJson(blobs, `${OCI}.config.v1+json`, whole),
      layers: [layer],
      annotations: config.config.Labels,
    });
    manifests.push({ ...manifest, platform: { architecture: platforms[platform].arch, os: 'linux' } });
    sizes.push({ platform, bytes: layer.size });
  }
  const index = { schemaVersion: 2, mediaType: `${OCI}.index.v1+json`, manifests };
  const named = { ...putJson(blobs, index.mediaType, index), annotations: nameImage(version) };
  writeFileSync(join(out, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  writeFileSync(join(out, 'index.json'), JSON.stringify({ ...index, manifests: [named] }));
  return sizes;
}

/** The names that `docker load` (the second one) and other tools give to the image. */
function nameImage(version: string) {
  return {
    'org.opencontainers.image.ref.name': version,
    'io.containerd.image.name': `docker.io/library/postern:${version}`,
  };
}

function makeLayer(blobs: string, root: string, createdS: number, { tool, level }: Compression) {
  const tar = join(blobs, 'layer.tar');
  const packed = `${tar}.packed`;
  const entries = ['etc', 'lib', 'lib64', 'postern', 'usr'].filter((name) =>
    statSync(join(root, name), { throwIfNoEntry: false }),
  );
  run(['tar', ...listTarOptions('gnu', createdS), '-C', root, '-cf', tar, ...entries]);
  run(['tar', ...listTarOptions('gnu', createdS, USER_ID), '-C', root, '-rf', tar, 'data']);
  const diffId = `sha256:${hashFile(tar)}`;
  // Neither program writes a name or a time. zstd's output is the same for any number after -T, but differs without -T.
  const flags = tool === 'zstd' ? ['-T2', '-q', '-f'] : ['-n', '-f'];
  if (tool === 'zstd') run(['zstd', ...flags, `-${level}`, tar, '-o', packed]);
  else run(['sh', '-c', `gzip ${flags.join(' ')} -${level} -c "$1" >"$2"`, 'sh', tar, packed]);
  rmSync(tar);
  const digest = hashFile(packed);
  const { size } = statSync(packed);
  renameSync(packed, join(blobs, digest));
  const layer: Descriptor = { mediaType: `${OCI}.layer.v1.tar+${tool}`, digest: `sha256:${digest}`, size };
  return { layer, diffId };
}

function putJson(blobs: string, mediaType: string, value: unknown): Descriptor {
  const text = JSON.stringify(value);
  const digest = createHash('sha256').update(text).digest('hex');
  writeFileSync(join(blobs, digest), text);
  return { mediaType, digest: `sha256:${digest}`, size: Buffer.byteLength(text) };
}

function hashFile(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function run(command: string[]): void {
  const done = Bun.spawnSync(command, { stdio: ['ignore', 'inherit', 'pipe'] });
  if (done.exitCode !== 0) throw new Error(`${command[0]} failed: ${done.stderr}`);
}
