/**
 * Builds the dashboard: `scripts/pages.ts OUTFILE` bundles src/web into one file of hashed, compressed assets, which
 * src/doors/dashboard/pages.ts reads. scripts/build embeds that file in the executable; a server that runs from the
 * sources builds it at the first request.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { compile } from 'tailwindcss';
import type { BuiltFile, BuiltPages } from '../src/doors/dashboard/pages.ts';
import { findWordFaults } from './words.ts';

const root = join(import.meta.dir, '..');
const web = join(root, 'src/web');
/** Where assets are served, under names with a hash of their content. The server replaces %BASE% with its base path. */
const ASSETS = '%BASE%/dashboard/assets/';
/** How a script names another: all are in one folder, whatever its path. */
const BESIDE = './';

async function main(outfile: string | undefined): Promise<void> {
  if (!outfile) throw new Error('usage: bun scripts/pages.ts OUTFILE');
  const faults = await findWordFaults();
  if (faults.length > 0) throw new Error(`texts of the pages:\n${faults.join('\n')}`);
  const [scripts, style] = await Promise.all([bundleScripts(), makeStyle()]);
  const icon = hashFile('icon', 'svg', 'image/svg+xml', readFileSync(join(web, 'icon.svg'), 'utf8'));
  const mainScript = scripts.find(({ isEntry }) => isEntry)!;
  const index = readFileSync(join(web, 'index.html'), 'utf8')
    .replace('%SCRIPT%', ASSETS + mainScript.name)
    .replace('%PRELOADS%', listStaticImports(mainScript.name, scripts).map(preload).join(''))
    .replace('%STYLE%', ASSETS + style.name)
    .replace('%ICON%', ASSETS + icon.name);
  const built: BuiltPages = {
    index,
    assets: [...scripts.map(({ built }) => built), style.built, icon.built],
  };
  mkdirSync(dirname(outfile), { recursive: true });
  // Renamed into place, because another process may be reading it.
  const draft = `${outfile}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(built));
  renameSync(draft, outfile);
}

interface Script {
  name: string;
  text: string;
}

const preload = (name: string) => `\n    <link rel="modulepreload" href="${ASSETS}${name}">`;

/** Lists all chunks that a script needs before it can run, directly or not, so that the browser loads them at once. */
function listStaticImports(name: string, scripts: readonly Script[]): string[] {
  const found = new Set([name]);
  for (const each of found) {
    const text = scripts.find((script) => script.name === each)?.text ?? '';
    for (const [, path = ''] of text.matchAll(/\b(?:from|import)"([^"]+)"/g)) {
      if (path.startsWith(BESIDE)) found.add(path.slice(BESIDE.length));
    }
  }
  return [...found].slice(1);
}

async function bundleScripts() {
  const result = await Bun.build({
    entrypoints: [join(web, 'main.tsx')],
    target: 'browser',
    format: 'esm',
    minify: true,
    splitting: true,
    publicPath: BESIDE,
    naming: { entry: '[name]-[hash].[ext]', chunk: '[name]-[hash].[ext]' },
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return Promise.all(
    result.outputs.map(async (output) => {
      const name = output.path.replace(/^\.?\//, '');
      const text = await output.text();
      const built = makeFile(name, 'text/javascript; charset=utf-8', text);
      return { name, text, isEntry: output.kind === 'entry-point', built };
    }),
  );
}

/** Makes the style sheet, with a Tailwind utility for each word in the sources that names one. */
async function makeStyle() {
  const tailwind = join(root, 'node_modules/tailwindcss');
  const compiler = await compile(readFileSync(join(web, 'style.css'), 'utf8'), {
    base: web,
    loadStylesheet: async (id) => {
      const path = id === 'tailwindcss' ? join(tailwind, 'index.css') : join(web, id);
      return { path, base: dirname(path), content: readFileSync(path, 'utf8') };
    },
  });
  const words = new Set<string>();
  for (const entry of readdirSync(web, { recursive: true, encoding: 'utf8' })) {
    // Words in the texts would be taken for classes.
    if (!/\.(tsx|ts|html)$/.test(entry) || entry.startsWith('words/')) continue;
    // So would words in comments.
    const text = readFileSync(join(web, entry), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*/gm, '');
    for (const word of text.split(/[\s"'`]+/)) words.add(word);
  }
  return hashFile('style', 'css', 'text/css; charset=utf-8', minifyStyle(compiler.build([...words])));
}

/** Removes comments, and white space between rules, between declarations, and before values. */
function minifyStyle(css: string): string {
  return css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/ ?([{;,])\s+/g, '$1')
    .replace(/;?\s*}\s*/g, '}')
    .replace(/(?<=[{;][\w-]+:) /g, '')
    .trim();
}

function hashFile(stem: string, ending: string, type: string, text: string) {
  const name = `${stem}-${Bun.hash(text).toString(36)}.${ending}`;
  return { name, built: makeFile(name, type, text) };
}

function makeFile(name: string, type: string, text: string): BuiltFile {
  return {
    name,
    type,
    gzip: gzipSync(text, { level: 9 }).toString('base64'),
    brotli: brotliCompressSync(text).toString('base64'),
  };
}

await main(process.argv[2]);
