/** Stores from earlier versions, opened by this one. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countRows } from '../../../src/platform/store/backup.ts';
import { openFile, openReader, openWriter } from '../../../src/platform/store/database.ts';
import { migrate, readSchemaVersion, SCHEMA_VERSION } from '../../../src/platform/store/migrate.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { zeroIndex } from '../../store-file.ts';
import { apiKey, earlierStore, mail, migrationFiles, oneFrameMail } from './earlier-store.ts';

const dir = mkdtempSync(join(tmpdir(), 'postern-migrate-'));
afterAll(() => rmSync(dir, { recursive: true }));

function folderWith(version: number): string {
  const folder = mkdtempSync(join(dir, `schema-${version}-`));
  writeFileSync(join(folder, 'postern.db'), earlierStore(version));
  return folder;
}

/** A start drops a mail that never ended, and a large email that was never queued. */
function withoutUnfinished(rows: Record<string, number>): Record<string, number> {
  const { raw, outbound_large, outbound_chunk, ...others } = rows;
  const kept = { ...others, raw: raw! - 1 };
  return outbound_large === undefined ? kept : { ...kept, outbound_large: 1, outbound_chunk: 2 };
}

function rowsIn(dataDir: string): Record<string, number> {
  const database = openReader(join(dataDir, 'postern.db'));
  const rows = countRows(database);
  database.close();
  return rows;
}

test('every file in the migrations folder is listed in migrate.ts', () => {
  expect(migrationFiles()).toHaveLength(SCHEMA_VERSION);
});

describe.each(Array.from({ length: SCHEMA_VERSION }, (_, index) => index + 1))(
  'a store of schema %d',
  (version) => {
    let dataDir: string;
    let before: Record<string, number>;
    let appliance: RunningAppliance;
    beforeAll(async () => {
      dataDir = folderWith(version);
      before = rowsIn(dataDir);
      // No job runs, because its time does not pass.
      appliance = await startAppliance({ dataDir, logLevel: 'info', clock: new FakeClock() });
    });
    afterAll(() => appliance?.[Symbol.asyncDispose]());

    test('opens with everything that it held, and accepts mail', async () => {
      const get = (path: string) => appliance.request('GET', `/api/v1${path}`, { key: apiKey });
      const after = rowsIn(dataDir);
      const expected = Object.entries(withoutUnfinished(before));
      expect(expected.filter(([table, rows]) => (after[table] ?? 0) < rows)).toEqual([]);
      const { json } = await get(`/messages/${mail.id}`);
      expect(json.data).toMatchObject({ id: mail.id, subject: 'Kept', otp: '482913', metadata: { a: 1 } });
      expect((await get(`/messages/${mail.id}/raw`)).text).toEndWith(mail.raw);
      if (version >= 16) {
        const one = await get(`/messages/${oneFrameMail.id}`);
        expect(one.json.data).toMatchObject({ subject: 'One frame', text: 'Your code is 571204' });
        expect((await get(`/messages/${oneFrameMail.id}/raw`)).text).toEndWith(oneFrameMail.raw);
      }
      const id = await appliance.deliver('kept@postern.test');
      expect((await get('/inboxes/kept@postern.test/messages?q=hello')).json.data).toMatchObject([{ id }]);
      const reports = appliance.logged.filter((line) => line.includes('new schema'));
      expect(reports).toHaveLength(version < SCHEMA_VERSION ? 1 : 0);
    });

    test('leaves a copy of itself when it is migrated', () => {
      const copy = join(dataDir, 'migration-copy', `before-schema-${version + 1}.db`);
      expect(existsSync(copy)).toBe(version < SCHEMA_VERSION);
      if (version === SCHEMA_VERSION) return;
      const database = openFile(copy);
      expect(readSchemaVersion(database)).toBe(version);
      expect(database.prepare('SELECT id FROM message').pluck().all()).toContain(mail.id);
      database.close();
    });
  },
);

test('a migration that fails leaves the store as it was, and keeps earlier copies', () => {
  const folder = folderWith(1);
  const database = openWriter(join(folder, 'postern.db'));
  // The second step creates a table of this name.
  database.exec('CREATE TABLE delivery (one INTEGER) STRICT');
  const copies = join(folder, 'copies');
  expect(() => migrate(database, { copies })).toThrow('already exists');
  expect(readSchemaVersion(database)).toBe(1);
  expect(database.prepare("SELECT name FROM sqlite_schema WHERE name = 'webhook'").all()).toEqual([]);
  expect(readdirSync(copies)).toEqual(['before-schema-2.db']);
  database.exec('DROP TABLE delivery');
  expect(migrate(database, { copies })).toMatchObject({ from: 1, to: SCHEMA_VERSION });
  database.close();
});

test('a later step that fails undoes the earlier ones, so the copy from before the first stays valid', () => {
  const folder = folderWith(1);
  const database = openWriter(join(folder, 'postern.db'));
  // The fourth step creates a table of this name.
  database.exec('CREATE TABLE domain (one INTEGER) STRICT');
  const copies = join(folder, 'copies');
  for (const _ of ['a start', 'the next start']) {
    expect(() => migrate(database, { copies })).toThrow('already exists');
    expect(readSchemaVersion(database)).toBe(1);
    expect(readdirSync(copies)).toEqual(['before-schema-2.db']);
  }
  database.close();
});

test('a damaged store is not migrated, with what to do', () => {
  for (const copies of [undefined, join(dir, 'damaged-copies')]) {
    const file = join(folderWith(12), 'postern.db');
    // The next step adds an index of this table.
    zeroIndex(file, 'message');
    const database = openWriter(file);
    expect(() => migrate(database, copies === undefined ? {} : { copies })).toThrow(
      'Restore the newest backup',
    );
    expect(readSchemaVersion(database)).toBe(12);
    database.close();
    if (copies !== undefined) expect(readdirSync(copies)).toEqual([]);
  }
});

test('only the copy of the last migration is kept', () => {
  const folder = folderWith(1);
  const copies = join(folder, 'copies');
  mkdirSync(copies);
  for (const name of ['before-schema-1.db', 'notes.txt']) writeFileSync(join(copies, name), 'old');
  const database = openWriter(join(folder, 'postern.db'));
  migrate(database, { copies });
  database.close();
  expect(readdirSync(copies).sort()).toEqual(['before-schema-2.db', 'notes.txt']);
});

test('no copy is made if the operator has turned copies off', async () => {
  const dataDir = folderWith(1);
  await (await startAppliance({ dataDir, settings: { migration_copy: 'off' } }))[Symbol.asyncDispose]();
  expect(readdirSync(dataDir)).not.toContain('migration-copy');
});

test('a migration does not checkpoint if another program does', () => {
  const file = join(mkdtempSync(join(dir, 'log-')), 'postern.db');
  const pages = (own: boolean) => {
    const database = openWriter(file, { ownCheckpoints: own, isThrownAway: false });
    const value = database.pragma('wal_autocheckpoint', { simple: true });
    database.close();
    return Number(value);
  };
  expect([pages(true) > 0, pages(false)]).toEqual([true, 0]);
});

test('accounts that were suspended before the time was recorded count as suspended since the migration', () => {
  const database = openFile(join(folderWith(10), 'postern.db'));
  database.exec("UPDATE account SET status = 'suspended' WHERE no = (SELECT min(no) FROM account)");
  const others = "SELECT count(*) FROM account WHERE status <> 'suspended' AND suspended_at IS NOT NULL";
  const beforeUs = Date.now() * 1000;
  migrate(database);
  const since = database.prepare("SELECT suspended_at FROM account WHERE status = 'suspended'").pluck().get();
  expect(Number(since)).toBeGreaterThanOrEqual(beforeUs - 1_000);
  expect(Number(since)).toBeLessThanOrEqual(Date.now() * 1000 + 1_000);
  expect(database.prepare(others).pluck().get()).toBe(0);
  database.close();
});

test('keys and sessions from before are the operator’s and the provider’s only if the store says so', () => {
  const database = openFile(join(folderWith(32), 'postern.db'));
  const user = database.prepare('SELECT no, account_no, created_at FROM user ORDER BY no LIMIT 1').get() as {
    [name: string]: number;
  };
  database
    .prepare(
      `INSERT OR REPLACE INTO identity (user_no, issuer, subject, created_at) VALUES (?, 'issuer', 's', 0)`,
    )
    .run(user.no);
  const note = database.prepare(
    `INSERT INTO audit (id, at, action, actor_kind, target, details) VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const addKey = database.prepare(
    `INSERT INTO api_key (id, account_no, user_no, hash, key_prefix, name, role, created_at)
     VALUES (?, ?, ?, CAST(? AS BLOB), ?, '', 'owner', ?)`,
  );
  for (const [id, at, by] of [
    ['first', user.created_at, null],
    ['operator', 101, 'operator'],
    ['own', 102, 'user'],
    ['forgotten', 103, null],
  ] as const) {
    addKey.run(id, user.account_no, user.no, id, id, at);
    if (by !== null) note.run(id, at, 'key.created', by, id, '{}');
  }
  for (const [no, method] of [
    [1_001, 'oidc'],
    [1_002, 'password'],
    [1_003, null],
  ] as const) {
    database
      .prepare(
        `INSERT INTO session (no, id, token_hash, user_no, browser, created_at, seen_at, expires_at)
         VALUES (?, ?, CAST(? AS BLOB), ?, '', ?, 0, 0)`,
      )
      .run(no, `${no}`, `${no}`, user.no, no);
    database.prepare('INSERT INTO session_member (session_no, user_no) VALUES (?, ?)').run(no, user.no);
    if (method !== null) note.run(`${no}`, no, 'sign_in', 'user', null, JSON.stringify({ method }));
  }
  migrate(database);
  const list = (sql: string) => database.prepare(sql).pluck().all();
  const keys = list(
    `SELECT id FROM api_key WHERE id NOT LIKE 'key%' AND made_by_operator = 1 ORDER BY created_at DESC`,
  );
  expect(keys).toEqual(['first', 'operator']);
  expect(list('SELECT issuer FROM session WHERE no > 1000 ORDER BY no')).toEqual(['issuer', null, null]);
  database.close();
});

test('an account from before is the operator’s only if it is an operator’s own or the audit log says who made it', () => {
  const database = openFile(join(folderWith(31), 'postern.db'));
  const add = database.prepare(
    `INSERT INTO account (no, id, name, plan, kind, status, custom_domains, outbound, operator, created_at, last_active_at)
     VALUES (?, ?, '', 'free', 'standard', 'active', 1, 0, ?, 0, 0)`,
  );
  const note = database.prepare(
    `INSERT INTO audit (id, at, account_id, action, actor_kind, details) VALUES (?, 0, ?, 'account.created', 'visitor', ?)`,
  );
  const accounts: [string, number, object | null][] = [
    ['set up', 1, { plan: 'business', operator: 'true' }],
    ['made by the operator', 0, { plan: 'business', operator: 'false', key: 'pst_live_ab' }],
    ['signed up', 0, { plan: 'free', operator: 'false' }],
    ['agent', 0, { kind: 'agent', plan: 'free', key: 'pst_live_cd' }],
    ['forgotten', 0, null],
  ];
  for (const [index, [id, operator, details]] of accounts.entries()) {
    add.run(100 + index, id, operator);
    if (details) note.run(id, id, JSON.stringify(details));
  }
  migrate(database);
  const made = database.prepare(
    'SELECT id FROM account WHERE no >= 100 AND made_by_operator = 1 ORDER BY no',
  );
  expect(made.pluck().all()).toEqual(['set up', 'made by the operator']);
  database.close();
});
