/** Compiles the TypeScript client into clients/typescript/dist, which `npm pack` packs. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';

const client = join(import.meta.dir, '../clients/typescript');
rmSync(join(client, 'dist'), { recursive: true, force: true });
const compiler = join(import.meta.dir, '../node_modules/typescript/bin/tsc');
const { exitCode } = Bun.spawnSync([process.execPath, compiler, '-p', client], {
  stdio: ['ignore', 'inherit', 'inherit'],
  env: { ...process.env, BUN_BE_BUN: '1' },
});
process.exit(exitCode);
