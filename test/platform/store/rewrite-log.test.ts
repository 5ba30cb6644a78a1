/** After an fsync that failed, the log is written again. */
import { expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rewriteLog } from '../../../src/platform/store/rewrite-log.ts';
import { temporaryFolder } from '../../doors/operator/folder.ts';

test('a log that is written again keeps every byte', () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'postern.db-wal');
  for (const bytes of [0, 1, 4120, 3 * 1024 * 1024 + 17]) {
    const content = randomBytes(bytes);
    writeFileSync(file, content);
    utimesSync(file, 1, 1);
    rewriteLog(file);
    expect(readFileSync(file).equals(content)).toBe(true);
    expect(statSync(file).mtimeMs > 1000).toBe(bytes > 0);
  }
});

test('a log that can’t be written again is a fault of the disk', () => {
  using folder = temporaryFolder();
  const missing = join(folder.path, 'postern.db-wal');
  expect(() => rewriteLog(missing)).toThrow(expect.objectContaining({ code: 'SQLITE_IOERR_FSYNC' }));
});
