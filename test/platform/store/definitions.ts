import type { Sqlite } from '../../../src/platform/store/database.ts';

interface Definition {
  type: string;
  name: string;
  sql: string | null;
}

/** Maps the names of tables, indexes, triggers and views to their definitions, with white space reduced. */
export function readDefinitions(database: Sqlite): Record<string, string> {
  const rows = database.prepare('SELECT type, name, sql FROM sqlite_master').all() as Definition[];
  return Object.fromEntries(
    rows.map(({ type, name, sql }) => [`${type} ${name}`, squeeze(sql ?? '')]).sort(),
  );
}

/** Ignores where lines break: ALTER TABLE appends a column to the last line. */
const squeeze = (sql: string) =>
  sql
    .replace(/\s+/g, ' ')
    .replace(/\( /g, '(')
    .replace(/ ([,)])/g, '$1');
