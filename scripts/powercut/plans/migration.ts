/** The first start on a store of an earlier schema: it ends migrated or unchanged, with nothing lost. */
import { Database } from 'bun:sqlite';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SCHEMA_VERSION } from '../../../src/platform/store/migrate.ts';
import { apiKey, earlierStore, storeKey } from '../../../test/platform/store/earlier-store.ts';
import { checkFolder } from '../check.ts';
import type { Findings } from '../findings.ts';
import {
  type CutFolder,
  findDelicateCuts,
  type Plan,
  type Recording,
  range,
  recordIn,
  type Stage,
} from '../plan.ts';
import { promisesAt } from '../promises.ts';
import { end, makeSettings, serve } from '../server.ts';
import { type Store, selectNumber, withStore } from '../store-look.ts';

interface MigrationRecording extends Recording {
  before: Record<string, number>;
}

/** What neither a start nor a job removes, whatever the date is: the store also has rows that have expired, and work that was not finished. */
const lasting = {
  message: 'inbox_no IN (1, 2)',
  inbox: 'account_no = 1 AND deleted_at IS NULL',
  webhook: 'inbox_no IN (1, 2)',
  ...Object.fromEntries(
    ['user', 'api_key', 'usage', 'approved_recipient', 'domain', 'mail_rule', 'outbound_email'].map(
      (table) => [table, 'account_no = 1'],
    ),
  ),
};

/** Counts the lasting rows in those tables that the store has. */
function countLasting(store: Store): Record<string, number> {
  const tables = store.query("SELECT name FROM sqlite_schema WHERE type = 'table'").values().flat();
  const counted = Object.entries(lasting)
    .filter(([table]) => tables.includes(table))
    .map(([table, condition]) => [
      table,
      selectNumber(store, `SELECT count(*) FROM ${table} WHERE ${condition}`),
    ]);
  return Object.fromEntries(counted);
}

/** As that version's server left it: in the folder, and marked as WAL when `isWal`. */
async function record(
  stage: Stage,
  name: string,
  schema: number,
  isWal: boolean,
): Promise<MigrationRecording> {
  const files = stage.work.folder(`${name}-files`);
  mkdirSync(join(files, 'data'), { mode: 0o700 });
  const store = join(files, 'data/postern.db');
  writeFileSync(store, earlierStore(schema), { mode: 0o600 });
  writeFileSync(join(files, 'data/server.key'), storeKey, { mode: 0o600 });
  if (isWal) switchToWal(store);
  const before = withStore(store, countLasting);
  const recording = await recordIn(stage, name, files, async (fs) => {
    const server = await serve(makeSettings(join(fs.mount, 'data')));
    await fs.mark({ is: 'ready' });
    await end(server, 'SIGTERM');
    await fs.mark({ is: 'step', step: 'end' });
    return [];
  });
  return { ...recording, before };
}

function switchToWal(file: string): void {
  const database = new Database(file);
  database.run('PRAGMA journal_mode = WAL');
  database.close();
}

async function check(folder: CutFolder, recording: Recording, schema: number) {
  const { before, marks } = recording as MigrationRecording;
  const promises = promisesAt(marks, folder.n);
  const inspect = (dataDir: string, findings: Findings) => {
    const now = withStore(join(dataDir, 'postern.db'), countLasting);
    const changed = Object.keys(before).filter((table) => now[table] !== before[table]);
    if (changed.length > 0) findings.add('lost', `rows of ${changed.join()} have changed`);
    checkCopies(join(dataDir, 'migration-copy'), schema, promises.isReady, findings);
  };
  const all = { ...promises, keys: [apiKey] };
  // Its mail has no numbers, so rows are counted.
  return checkFolder({ folder, promises: all, inspect });
}

function checkCopies(folder: string, schema: number, isPromised: boolean, findings: Findings): void {
  const copies = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.db')) : [];
  if (isPromised && copies.length === 0) findings.add('copy', 'the store before the migration was not kept');
  for (const name of copies) {
    try {
      withStore(join(folder, name), (store) => {
        const sound = store.query('PRAGMA integrity_check(1)').values().flat().join();
        const version = selectNumber(store, 'PRAGMA user_version');
        if (sound !== 'ok' || version !== schema)
          findings.add('copy', `${name}: ${sound}, schema ${version}`);
      });
    } catch (fault) {
      findings.add('copy', `${name} can't be read: ${(fault as Error).message}`);
    }
  }
}

function planMigration(schema: number, isWal: boolean): Plan {
  const name = `migration-${schema}${isWal ? '-wal' : ''}`;
  return {
    name,
    meaning: `the first start on a store of schema ${schema}${isWal ? ', in WAL mode as a server leaves it' : ''}`,
    recording: name,
    weight: 5,
    record: (stage) => record(stage, name, schema, isWal),
    cuts: (recording) => {
      const last = recording.records.at(-1)!.n;
      return [findDelicateCuts(recording, 1, last), range(1, last)];
    },
    check: (folder, recording) => check(folder, recording, schema),
  };
}

/** The longest path, and the one from the previous version. */
export const migrations: readonly Plan[] = [planMigration(1, false), planMigration(SCHEMA_VERSION - 1, true)];
