/**
 * Adds the stores of schema versions that test/corpus/stores does not have yet. Run `bun scripts/earlier-stores.ts` after
 * adding a migration. It never replaces an existing store.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeEarlierStore, migrationFiles, storesDir } from '../test/platform/store/earlier-store.ts';

mkdirSync(storesDir, { recursive: true });
for (const [index] of migrationFiles().entries()) {
  const file = join(storesDir, `schema-${index + 1}.db.zst`);
  if (existsSync(file)) continue;
  writeFileSync(file, Bun.zstdCompressSync(makeEarlierStore(index + 1), { level: 19 }));
  console.log(file);
}
