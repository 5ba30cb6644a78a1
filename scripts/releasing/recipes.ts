/** Makes recipes for package managers that download an archive: the templates, with the release's address and checksums. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../package.json';
import { sumFiles } from './sums.ts';

const folder = 'packaging/recipes';

/** Writes the recipes, and returns the names of those that lack an archive. */
export function writeRecipes(outdir: string, url: string): string[] {
  const sums = new Map(sumFiles(outdir).map(({ name, sha256 }) => [name, sha256]));
  const skipped: string[] = [];
  mkdirSync(join(outdir, 'recipes'), { recursive: true });
  for (const name of readdirSync(folder).sort()) {
    const text = fill(readFileSync(join(folder, name), 'utf8'), sums, url.replace(/\/+$/, ''));
    if (text === null) skipped.push(name);
    else writeFileSync(join(outdir, 'recipes', name), text);
  }
  return skipped;
}

/** Fills in a template; returns null if it needs an archive that was not built. */
export function fill(template: string, sums: ReadonlyMap<string, string>, url: string): string | null {
  let isWhole = true;
  const text = template.replace(/%([A-Z0-9]+)(?: ([a-z0-9-]+))?%/g, (_, field: string, target: string) => {
    const archive = `postern-${version}-${target}.tar.gz`;
    const value = { URL: url, VERSION: version, ARCHIVE: archive, SHA256: sums.get(archive) }[field];
    isWhole &&= value !== undefined;
    return value ?? '';
  });
  return isWhole ? text : null;
}
