/**
 * A crash while the store is in rollback mode leaves a hot journal (an earlier version's first start, or its first start
 * after a restore). Only a writer can open such a store. Every command does so, and no half-done transaction is visible.
 */
import { afterAll, expect, test } from 'bun:test';
import { cpSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { copyHalfWritten, readHalfWritten } from '../../store-file.ts';
import { postern, posternJson, startServing } from './command-process.ts';
import { temporaryFolder } from './folder.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const at = (name: string) => join(folder.path, name);
const makeEnv = (name: string) => ({ POSTERN_DATA_DIR: at(name), POSTERN_DISK_FLOOR: '0' });

await posternJson(['account', 'create', '--email', 'ann@example.com'], makeEnv('whole'));
await posternJson(['backup', at('whole.db')], makeEnv('whole'));
cpSync(at('whole'), at('hot'), { recursive: true });
copyHalfWritten(join(at('whole'), 'postern.db'), join(at('hot'), 'postern.db'));

/** A separate copy for each test. */
function copyHot(name: string): Record<string, string> {
  cpSync(at('hot'), at(name), { recursive: true });
  return makeEnv(name);
}

function expectWhole(name: string): void {
  expect(readHalfWritten(join(at(name), 'postern.db'))).toEqual({
    emails: ['ann@example.com'],
    halfTables: [],
    integrity: ['ok'],
  });
  expect(existsSync(join(at(name), 'postern.db-journal'))).toBe(false);
}

test('the prepared store has a hot journal: only a writer can open it', () => {
  copyHot('itself');
  const store = join(at('itself'), 'postern.db');
  expect(readFileSync(`${store}-journal`).subarray(0, 4).toString('hex')).toBe('d9d505f9');
  expect(() => readHalfWritten(store, { readonly: true })).toThrow();
});

test('serve starts on a store with a hot journal', async () => {
  const env = copyHot('serve');
  await (await startServing(['serve'], env))[Symbol.asyncDispose]();
  expectWhole('serve');
});

test.each(['doctor', 'account list'])('%s opens a store with a hot journal', async (line) => {
  const output = await posternJson(line.split(' '), copyHot(line));
  expect(JSON.stringify(output)).not.toContain('half@');
  expect(JSON.stringify(output)).not.toContain("can't be read");
  expectWhole(line);
});

test('backup without a server copies what was committed before a hot journal', async () => {
  const env = copyHot('backup');
  await posternJson(['backup', at('made.db')], env);
  await posternJson(['restore', at('made.db')], makeEnv('from-backup'));
  expectWhole('from-backup');
});

test('restore replaces a store that has a hot journal by one in WAL mode, and keeps the old one, rolled back', async () => {
  const env = copyHot('restore');
  const { kept } = await posternJson<{ kept: string }>(['restore', at('whole.db')], env);
  expect(statSync(join(kept, 'postern.db')).size).toBeGreaterThan(0);
  expect(existsSync(join(kept, 'postern.db-journal'))).toBe(false);
  // Bytes 18 and 19 are the versions of the format for writing and reading; 2 is WAL (sqlite.org/fileformat2.html,
  // 1.3).
  expect([...readFileSync(join(at('restore'), 'postern.db')).subarray(18, 20)]).toEqual([2, 2]);
  expect((await postern(['restore', join(kept, 'postern.db')], env)).status).toBe(0);
  expectWhole('restore');
});

test('a copy with a hot journal beside it is refused as a backup', async () => {
  const { status, stderr } = await postern(['restore', join(at('hot'), 'postern.db')], makeEnv('never'));
  expect(stderr).toContain('a store in use, not a backup');
  expect(status).toBe(1);
});
