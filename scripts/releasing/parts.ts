/** Lists the parts of the executable, as the bundler reports them, with their licences. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entries } from '../entries.ts';
import { BUN_VERSION } from '../targets.ts';
import { ReleaseError, run } from './run.ts';

export interface Part {
  name: string;
  version: string;
  /** An SPDX licence expression. */
  licence: string;
  /** The licence's own text. */
  text: string;
  /** The name of its npm package; null if it has none. */
  npm: string | null;
}

/** What scripts/build and scripts/pages.ts bundle. */
const bundles = [
  ['--target=bun', '--root=src/app', ...entries],
  ['--target=browser', '--splitting', 'src/web/main.tsx'],
];

/** Packages whose data is in files of src (scripts/refresh-lists), and the one that makes the style sheet. */
const data = [
  'disposable-email-domains-js',
  '@dahoom/disposable-email',
  'disposable-domains',
  '@zxcvbn-ts/language-common',
  'tailwindcss',
];

/** Matches the names of licence files. A package without one states its licence only in package.json. */
const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-](?:mit|txt|md|eupl[-.\d]*))*$/i;

/** Returns the parts, sorted by name and version. */
export function listParts(): Part[] {
  const folders = new Set(data.map((name) => `node_modules/${name}`));
  for (const bundle of bundles) for (const folder of listBundled(bundle)) folders.add(folder);
  const parts = [...[...folders].map(readPackage), ...listHandwritten()];
  return parts.sort((a, b) => compare(a.name, b.name) || compare(a.version, b.version));
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Returns the folders of the packages of which the bundler used at least one file. */
function listBundled(bundle: string[]): string[] {
  const work = mkdtempSync(join(tmpdir(), 'postern-parts-'));
  try {
    const meta = join(work, 'meta.json');
    run([process.execPath, 'build', '--format=esm', `--metafile=${meta}`, `--outdir=${work}/out`, ...bundle]);
    const { inputs } = JSON.parse(readFileSync(meta, 'utf8')) as { inputs: Record<string, unknown> };
    return Object.keys(inputs).flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  } finally {
    rmSync(work, { recursive: true });
  }
}

function readPackage(folder: string): Part {
  const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>;
  const { name = '', version = '', license = '' } = about;
  if (!license) throw new ReleaseError(`${folder} states no licence`);
  const files = readdirSync(folder).filter((file) => LICENCE_FILE.test(file));
  const text = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return { name, version, licence: license, text: text.join('\n\n'), npm: name };
}

function listHandwritten(): Part[] {
  const text = (file: string) => readFileSync(join('packaging/licences', file), 'utf8').trim();
  const sqlite = /SQLite ([\d.]+)/.exec(run([process.execPath, 'src/main.ts', 'version']))?.[1];
  if (!sqlite) throw new ReleaseError('SQLite did not report its version');
  return [
    { name: 'bun', version: BUN_VERSION, licence: 'MIT', text: text('bun.txt'), npm: 'bun' },
    { name: 'sqlite', version: sqlite, licence: 'blessing', text: text('sqlite.txt'), npm: null },
    { name: 'caniemail', version: 'data', licence: 'MIT', text: text('caniemail.txt'), npm: null },
  ];
}

/** Returns the text of THIRD-PARTY.txt. */
export function writeNotices(parts: readonly Part[]): string {
  const head =
    'Postern contains the following works of others. Postern itself is under the licence in LICENSE.\n';
  const list = parts.map(({ name, version, licence }) => `  ${name} ${version}: ${licence}\n`).join('');
  const texts = parts.map(({ name, version, licence, text }) =>
    [
      `\n${'='.repeat(80)}\n${name} ${version} (${licence})\n`,
      text || `It has no licence file; its package.json says ${licence}.`,
    ].join('\n'),
  );
  return `${head}\n${list}${texts.join('\n')}\n`;
}
