/**
 * Builds the TypeScript client as npm gets it: compiled, with its README and its license. Argument: the folder,
 * dist/clients/typescript unless given. To publish it: `npm publish dist/clients/typescript --access public`.
 */
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = join(import.meta.dir, '..');
const client = join(root, 'clients/typescript');
const out = resolve(process.argv[2] ?? join(root, 'dist/clients/typescript'));
rmSync(join(out, 'dist'), { recursive: true, force: true });
mkdirSync(out, { recursive: true });
for (const name of ['package.json', 'README.md']) copyFileSync(join(client, name), join(out, name));
copyFileSync(join(root, 'LICENSE'), join(out, 'LICENSE'));
const compiler = join(root, 'node_modules/typescript/bin/tsc');
const { exitCode } = Bun.spawnSync([process.execPath, compiler, '-p', client, '--outDir', join(out, 'dist')], {
  stdio: ['ignore', 'inherit', 'inherit'],
  env: { ...process.env, BUN_BE_BUN: '1' },
});
process.exit(exitCode);
