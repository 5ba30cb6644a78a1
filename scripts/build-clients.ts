/**
 * Builds the TypeScript client as it is published on npm, with its README and its license. The argument is the folder,
 * dist/npm/client by default; beside it is the package as one file, dist/npm/client.tgz. To publish it:
 * `npm publish dist/npm/client --access public`.
 *
 * Projects install the file. npm links to a folder instead of copying it, and Node then loads the project's test runner
 * a second time, from this clone.
 *
 * Each entry is one file, and shared code is in files of its own: that takes Node 10 ms less processor time than a file
 * per module.
 */
import { copyFileSync, cpSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = join(import.meta.dir, '..');
const client = join(root, 'clients/typescript');
const [folder = join(root, 'dist/npm/client')] = process.argv.slice(2);
if (folder.startsWith('-')) {
  console.error('usage: scripts/build-clients [FOLDER]   the folder is dist/npm/client by default');
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
// Jest loads ES modules only with a flag for Node.
await Bun.build({
  ...shared,
  entrypoints: [join(client, 'src/jest.ts')],
  format: 'cjs',
  naming: { entry: '[name].cjs' },
});
const compiler = join(root, 'node_modules/typescript/bin/tsc');
const types = ['-p', client, '--emitDeclarationOnly', '--outDir', join(out, 'dist')];
runBun([compiler, ...types], root);
runBun(['pm', 'pack', '--quiet', '--ignore-scripts', '--filename', `${out}.tgz`], out);

function runBun(args: string[], cwd: string): void {
  const { exitCode } = Bun.spawnSync([process.execPath, ...args], {
    cwd,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, BUN_BE_BUN: '1' },
  });
  if (exitCode !== 0) process.exit(exitCode);
}
