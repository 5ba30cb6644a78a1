/**
 * Builds the TypeScript client as npm gets it, with its README and its license. Argument: the folder,
 * dist/npm/client unless given. To publish it: `npm publish dist/npm/client --access public`.
 *
 * Each entry is one file, and shared code another: Node needs 10 ms less processor time than for a file per module.
 */
import { copyFileSync, cpSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = join(import.meta.dir, '..');
const client = join(root, 'clients/typescript');
const [folder = join(root, 'dist/npm/client')] = process.argv.slice(2);
if (folder.startsWith('-')) {
  console.error('usage: scripts/build-clients [FOLDER]   dist/npm/client unless given');
  process.exit(folder === '--help' ? 0 : 2);
}
const out = resolve(folder);
rmSync(join(out, 'dist'), { recursive: true, force: true });
mkdirSync(out, { recursive: true });
for (const name of ['package.json', 'README.md']) copyFileSync(join(client, name), join(out, name));
copyFileSync(join(root, 'LICENSE'), join(out, 'LICENSE'));
cpSync(join(client, 'docs'), join(out, 'docs'), { recursive: true });
const entries = [
  'index',
  'server',
  'playwright',
  'vitest',
  'jest',
  'global-setup',
  'cypress',
  'cypress-tasks',
];
const external = ['@playwright/test', 'vitest'];
const shared = { outdir: join(out, 'dist'), target: 'node' as const, external };
await Bun.build({
  ...shared,
  entrypoints: entries.map((name) => join(client, `src/${name}.ts`)),
  format: 'esm',
  splitting: true,
  naming: { chunk: 'shared-[hash].[ext]' },
});
// Jest loads no ES modules without a flag of Node.
await Bun.build({
  ...shared,
  entrypoints: [join(client, 'src/jest.ts')],
  format: 'cjs',
  naming: { entry: '[name].cjs' },
});
const compiler = join(root, 'node_modules/typescript/bin/tsc');
const types = ['-p', client, '--emitDeclarationOnly', '--outDir', join(out, 'dist')];
const { exitCode } = Bun.spawnSync([process.execPath, compiler, ...types], {
  stdio: ['ignore', 'inherit', 'inherit'],
  env: { ...process.env, BUN_BE_BUN: '1' },
});
process.exit(exitCode);
