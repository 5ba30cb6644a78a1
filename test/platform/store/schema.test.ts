import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWriter, type Sqlite } from '../../../src/platform/store/database.ts';
import { migrate } from '../../../src/platform/store/migrate.ts';
import { readDefinitions } from './definitions.ts';

const dir = mkdtempSync(join(tmpdir(), 'postern-schema-'));
afterAll(() => rmSync(dir, { recursive: true }));

const schema = readFileSync(join(import.meta.dir, '../../../schema.sql'), 'utf8');
const fresh = openWriter(join(dir, 'fresh.db'));
fresh.exec(schema);
const migrated = openWriter(join(dir, 'migrated.db'));
migrate(migrated);

test('the migrations lead to schema.sql', () => {
  expect(readDefinitions(migrated)).toEqual(readDefinitions(fresh));
});

test('the migrations lead to the same FTS5 settings as schema.sql', () => {
  const settings = (database: Sqlite) => database.prepare('SELECT k, v FROM message_search_config').all();
  expect(settings(migrated)).toEqual(settings(fresh));
  expect(settings(fresh)).toContainEqual({ k: 'automerge', v: 0 });
});

test('the migrations leave the rows that schema.sql has', () => {
  const tables = fresh.prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'");
  for (const name of tables.pluck().all() as string[]) {
    if (name.startsWith('sqlite_')) continue;
    const rows = `SELECT * FROM "${name}"`;
    expect([name, migrated.prepare(rows).all()]).toEqual([name, fresh.prepare(rows).all()]);
  }
});

test('migrating again changes nothing', () => {
  const before = readDefinitions(migrated);
  migrate(migrated);
  expect(readDefinitions(migrated)).toEqual(before);
});

test('a store of a newer version is refused with what to do', () => {
  const database = openWriter(join(dir, 'newer.db'));
  database.pragma('user_version = 10000');
  expect(() => migrate(database)).toThrow('Install that version');
});

test('every table is STRICT', () => {
  const loose = fresh.prepare(
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0",
  );
  expect((loose.pluck().all() as string[]).filter((name) => !name.startsWith('sqlite_'))).toEqual([]);
});

test('every table and every index has a comment on its purpose', () => {
  const lines = schema.split('\n');
  const silent = lines.filter((line, index) => {
    if (!/^CREATE /.test(line)) return false;
    const before = lines[index - 1] ?? '';
    // Indexes that serve one purpose together share a comment.
    const shares = / INDEX /.test(line) && /^CREATE .*INDEX/.test(before);
    return !before.startsWith('--') && !shares;
  });
  expect(silent).toEqual([]);
});
