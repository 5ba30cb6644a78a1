/**
 * Keeps a store of each schema version in test/corpus/stores, one that is not there yet: `bun scripts/earlier-stores.ts`,
 * after a migration was added. One that is there is never made anew.
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
