/** A migration of any earlier store leads to the schema of schema.sql, and changes nothing that was stored. */
import { Database } from 'bun:sqlite';
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWriter } from '../../../src/platform/store/database.ts';
import { migrate, SCHEMA_VERSION } from '../../../src/platform/store/migrate.ts';
import { readDefinitions } from './definitions.ts';
import { earlierStore } from './earlier-store.ts';

const dir = mkdtempSync(join(tmpdir(), 'postern-migrated-'));
afterAll(() => rmSync(dir, { recursive: true }));

const fresh = openWriter(join(dir, 'fresh.db'));
fresh.exec(readFileSync(join(import.meta.dir, '../../../schema.sql'), 'utf8'));

/** Before this version, a delivery was its own event, and a webhook belonged to an inbox. */
const EVENTS = 20;

type Row = Record<string, unknown>;
type Tables = Record<string, Row[]>;

function readTables(file: string): Tables {
  using database = new Database(file, { readonly: true });
  const names = database
    .query(
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual') AND name NOT LIKE 'sqlite%'`,
    )
    .values()
    .flat();
  return Object.fromEntries(
    names.map((name) => [name, database.query(`SELECT * FROM "${name}"`).all() as Row[]]),
  );
}

function migrated(version: number): { before: Tables; after: Tables; file: string } {
  const file = join(mkdtempSync(join(dir, `${version}-`)), 'postern.db');
  writeFileSync(file, earlierStore(version));
  const before = readTables(file);
  const database = openWriter(file);
  migrate(database);
  database.close();
  return { before, after: readTables(file), file };
}

/** The rows with only these columns, so that columns that a migration added don't count. */
const pick = (rows: Row[] | undefined, columns: string[]) =>
  rows?.map((row) => Object.fromEntries(columns.map((column) => [column, row[column]])));

test('the earliest and the latest store have rows in every table of their schema', () => {
  for (const version of [1, SCHEMA_VERSION]) {
    const file = join(dir, `rows-${version}.db`);
    writeFileSync(file, earlierStore(version));
    const empty = Object.entries(readTables(file)).flatMap(([name, rows]) => (rows.length === 0 ? name : []));
    // The job that fills these three has not run yet.
    expect([version, empty]).toEqual([
      version,
      version === 1 ? [] : ['message_search_text', 'search_text_term', 'search_row'],
    ]);
  }
});

describe.each(Array.from({ length: SCHEMA_VERSION }, (_, index) => index + 1))(
  'a store of schema %d',
  (version) => {
    const { before, after, file } = migrated(version);
    const isApart = (name: string) => version < EVENTS && (name === 'webhook' || name === 'delivery');

    test('has the tables, indexes and triggers of schema.sql, and is sound', () => {
      const database = openWriter(file);
      expect(readDefinitions(database)).toEqual(readDefinitions(fresh));
      expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
      expect(database.pragma('foreign_key_check')).toEqual([]);
      database.close();
    });

    test('keeps every value', () => {
      for (const [name, rows] of Object.entries(before)) {
        if (isApart(name)) continue;
        const columns = Object.keys(rows[0] ?? {});
        expect([name, pick(after[name], columns)]).toEqual([name, rows]);
      }
    });

    if (version >= 2 && version < EVENTS) {
      test('keeps its webhooks and what they got, as events with a time each', () => {
        const settings = Object.keys(before.webhook![0]!);
        expect(
          pick(
            after.webhook!.filter(({ removed_at }) => removed_at === null),
            settings,
          ),
        ).toEqual(before.webhook!);
        const kept = ['no', 'status', 'tries', 'due_at', 'created_at', 'attempts', 'answer'];
        expect(pick(after.delivery, kept)).toEqual(pick(before.delivery, kept)!);
        const known = ['id', 'inbox_no', 'message_id'];
        expect(
          after.event!.map(({ id, inbox_no, subject_id }) => ({ id, inbox_no, message_id: subject_id })),
        ).toEqual(pick(before.delivery, known) as never);
        const at = after.event!.map(({ created_at }) => Number(created_at));
        expect(new Set(at).size).toBe(at.length);
        const later = at.map((time, index) => time - Number(before.delivery![index]!.created_at));
        expect(later.every((microseconds) => microseconds >= 0 && microseconds < at.length)).toBe(true);
        expect(Number(after.arrival![0]!.last_at)).toBeGreaterThanOrEqual(Math.max(...at));
      });
    }

    test('knows which accounts the operator made, as far as the audit log says so', () => {
      const made = after.account!.flatMap(({ no, made_by_operator }) => (made_by_operator === 1 ? no : []));
      expect(made).toEqual(version < 21 ? [1] : [1, 2]);
    });

    test('has its messages of authentic senders, its suspensions and its tags where they are looked up', () => {
      const proven = after.message!.flatMap(({ received_at, proven_at }) =>
        proven_at === null ? [] : received_at,
      );
      expect(proven).toEqual(
        version < 22 ? (version < 5 ? [] : [1795240000000000, 1795240000000001]) : proven,
      );
      const since = after
        .account!.filter(({ suspended_at }) => suspended_at !== null)
        .map(({ status }) => status);
      expect(since).toEqual(['suspended']);
      const tagged = after.message_tag!.map(({ tag, received_at }) => `${received_at} ${tag}`).sort();
      const tags = after.message!.flatMap(({ tags, received_at }) =>
        [...new Set(JSON.parse(String(tags ?? '[]')) as string[])].map((tag) => `${received_at} ${tag}`),
      );
      expect(tagged).toEqual(tags.sort());
      expect(after.message!.every(({ account_no }) => account_no !== 0)).toBe(true);
    });
  },
);
