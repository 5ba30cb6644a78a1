/** Backups that are made one after the other under the same name. */
import { expect, test } from 'bun:test';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { countRows, makeBackup } from '../../../src/platform/store/backup.ts';
import { openReader } from '../../../src/platform/store/database.ts';
import { temporaryFolder } from '../../doors/operator/folder.ts';
import { putStore } from '../../ready-store.ts';

test('a backup that has its name leaves alone the journal of the next one', async () => {
  using folder = temporaryFolder();
  putStore(folder.path);
  const database = openReader(join(folder.path, 'postern.db'));
  const source = { database, rows: countRows(database), server_key: new Uint8Array(32) };
  const file = join(folder.path, 'p.db');
  // Another process may begin the next backup in the same moment.
  const beginNext = () => writeFileSync(`${file}.partial-journal`, '');
  await makeBackup({ source, file, nowUs: 1_000_000, onVerified: beginNext });
  database.close();
  expect(
    readdirSync(folder.path)
      .filter((name) => name.startsWith('p.db'))
      .sort(),
  ).toEqual(['p.db', 'p.db.partial-journal']);
});
