/**
 * Generates two files of the TypeScript client: `wire.ts`, the types of the API's objects, from the OpenAPI document, and
 * `error-table.ts` from clients/contract/errors.json. Run it after a change to either; a test fails until you do.
 *
 * The generator (`devDependencies` in clients/typescript/package.json) is installed in a temporary folder, because it
 * needs an older TypeScript than the project's.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  errorTableFile,
  hashWireDocument,
  readWireDocument,
  renderErrorTable,
  wireFile,
} from './client-sources.ts';

const { devDependencies } = JSON.parse(
  readFileSync(new URL('../clients/typescript/package.json', import.meta.url), 'utf8'),
);

writeFileSync(errorTableFile, renderErrorTable());
const folder = mkdtempSync(join(tmpdir(), 'postern-clients-'));
try {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, devDependencies }));
  writeFileSync(join(folder, 'document.json'), JSON.stringify(readWireDocument()));
  run([process.execPath, 'install', '--ignore-scripts']);
  const generator = join(folder, 'node_modules/openapi-typescript/bin/cli.js');
  const options = ['--root-types', '--root-types-no-schema-prefix', '--default-non-nullable', 'false'];
  run([process.execPath, generator, 'document.json', '--output', 'wire.ts', ...options]);
  const head = `// Written by scripts/refresh-clients. Schemas: ${hashWireDocument()}\n`;
  writeFileSync(wireFile, head + readFileSync(join(folder, 'wire.ts'), 'utf8'));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run(command: string[]): void {
  const { success, stderr, stdout } = Bun.spawnSync(command, {
    cwd: folder,
    env: { ...process.env, BUN_BE_BUN: '1' },
  });
  if (!success) throw new Error(`${command.join(' ')}: ${stdout}${stderr}`);
}
