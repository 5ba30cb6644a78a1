/**
 * A crash while the store was in rollback mode (an earlier version's first start, or its first one after a restore)
 * leaves a hot journal: only who may write can open such a store. Every command does, and nothing half done is seen.
 */
import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { copyFileSync, cpSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { postern, posternJson, startServing } from './command-process.ts';
import { temporaryFolder } from './folder.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const at = (name: string) => join(folder.path, name);
const envOf = (name: string) => ({ POSTERN_DATA_DIR: at(name), POSTERN_DISK_FLOOR: '0' });

await posternJson(['account', 'create', '--email', 'ann@example.com'], envOf('whole'));
await posternJson(['backup', at('whole.db')], envOf('whole'));
makeHot();

/** The whole store with one transaction half written into it, and the journal that undoes that. */
function makeHot(): void {
  cpSync(at('whole'), at('hot'), { recursive: true });
  const [store, hot] = [join(at('whole'), 'postern.db'), join(at('hot'), 'postern.db')];
  const database = new Database(store);
  database.run('PRAGMA journal_mode = DELETE');
  // Pages are written into the file before the commit when the cache is full.
  database.run('PRAGMA cache_size = 1');
  database.run('BEGIN IMMEDIATE');
  database.run(`UPDATE user SET email = 'half@example.com'`);
  database.run('CREATE TABLE half (bytes BLOB)');
  for (let row = 0; row < 50; row++) database.run('INSERT INTO half VALUES (zeroblob(8000))');
  for (const end of ['', '-journal']) copyFileSync(`${store}${end}`, `${hot}${end}`);
  database.run('ROLLBACK');
  database.close();
}

/** A copy of its own for each test. */
function copyHot(name: string): Record<string, string> {
  cpSync(at('hot'), at(name), { recursive: true });
  return envOf(name);
}

function expectWhole(name: string): void {
  const database = new Database(join(at(name), 'postern.db'));
  expect(database.query('SELECT email FROM user').values()).toEqual([['ann@example.com']]);
  expect(database.query(`SELECT name FROM sqlite_schema WHERE name = 'half'`).values()).toEqual([]);
  expect(database.query('PRAGMA integrity_check').values()).toEqual([['ok']]);
  database.close();
  expect(existsSync(join(at(name), 'postern.db-journal'))).toBe(false);
}

test('such a store is one: only who may write can read it', () => {
  copyHot('itself');
  const store = join(at('itself'), 'postern.db');
  expect(readFileSync(`${store}-journal`).subarray(0, 4).toString('hex')).toBe('d9d505f9');
  expect(() => new Database(store, { readonly: true }).query('SELECT 1 FROM user').get()).toThrow();
});

test('serve starts on it', async () => {
  const env = copyHot('serve');
  await (await startServing(['serve'], env))[Symbol.asyncDispose]();
  expectWhole('serve');
});

test.each([[['doctor']], [['account', 'list']]])('%p opens it', async (args) => {
  const name = args.join(' ');
  const output = await posternJson(args, copyHot(name));
  expect(JSON.stringify(output)).not.toContain('half@');
  expect(JSON.stringify(output)).not.toContain("can't be read");
  expectWhole(name);
});

test('backup without a server copies what was committed', async () => {
  const env = copyHot('backup');
  await posternJson(['backup', at('made.db')], env);
  await posternJson(['restore', at('made.db')], envOf('from-backup'));
  expectWhole('from-backup');
});

test('restore puts a store in WAL mode in its place, and keeps the old one rolled back', async () => {
  const env = copyHot('restore');
  const { kept } = await posternJson<{ kept: string }>(['restore', at('whole.db')], env);
  expect(statSync(join(kept, 'postern.db')).size).toBeGreaterThan(0);
  expect(existsSync(join(kept, 'postern.db-journal'))).toBe(false);
  // 18 and 19: the versions of its format to write and to read; 2 is WAL (sqlite.org/fileformat2.html, 1.3).
  expect([...readFileSync(join(at('restore'), 'postern.db')).subarray(18, 20)]).toEqual([2, 2]);
  expect((await postern(['restore', join(kept, 'postern.db')], env)).status).toBe(0);
  expectWhole('restore');
});

test('a copy with a hot journal beside it is no backup', async () => {
  const { status, stderr } = await postern(['restore', join(at('hot'), 'postern.db')], envOf('never'));
  expect(stderr).toContain('a store in use, not a backup');
  expect(status).toBe(1);
});
