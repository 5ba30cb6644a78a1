/** Writes the files that describe a release: its checksums, and the index that `postern upgrade --check` reads. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../package.json';
import type { Commit } from './commit.ts';

export interface FileSum {
  name: string;
  sha256: string;
  bytes: number;
}

export function sumFiles(outdir: string): FileSum[] {
  return readdirSync(outdir, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(outdir, name)).isFile())
    .sort()
    .map((name) => {
      const path = join(outdir, name);
      return { name, sha256: sum(path), bytes: statSync(path).size };
    });
}

function sum(path: string): string {
  return new Bun.CryptoHasher('sha256').update(readFileSync(path)).digest('hex');
}

/** Writes SHA256SUMS in the format of sha256sum(1). */
export function writeSums(outdir: string): void {
  const lines = sumFiles(outdir).map(({ name, sha256 }) => `${sha256}  ${name}\n`);
  writeFileSync(join(outdir, 'SHA256SUMS'), lines.join(''));
}

export function writeIndex(outdir: string, commit: Commit): void {
  const released = new Date(commit.epoch * 1000).toISOString().slice(0, 10);
  const index = { version, released, commit: commit.id, changes: readChanges(), files: sumFiles(outdir) };
  writeFileSync(join(outdir, 'release.json'), `${JSON.stringify(index, null, 2)}\n`);
}

/** Returns the items of the latest section in CHANGELOG.md, each on one line. */
function readChanges(): string[] {
  const section = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m)[1] ?? '';
  return Array.from(section.matchAll(/^- (.+(?:\n {2}.+)*)/gm), ([, point = '']) =>
    point.replace(/\n {2}/g, ' '),
  );
}
