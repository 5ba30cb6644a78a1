/** A disk quota that is used up: SQLite has no code for it, and reports an I/O error. */
import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { explainFullDisk, isQuotaUsedUp, Reserve } from '../../../src/platform/store/reserve.ts';
import { answerThrown, isDiskFull } from '../../../src/platform/store/thread.ts';
import { describeTrouble, nameQuota } from '../../../src/platform/store/trouble.ts';
import { temporaryFolder } from '../../doors/operator/folder.ts';

const failed = (code: string) => Object.assign(new Error('disk I/O error'), { code });

test('a write that a quota refused is treated like one on a full disk, and named', () => {
  const named = nameQuota(failed('SQLITE_IOERR_WRITE'), () => true);
  expect(isDiskFull(named)).toBe(true);
  expect(describeTrouble(named)).toContain('quota of the data folder is used up');
  expect(answerThrown(1, named)).toMatchObject({
    failure: { code: 'storage_unavailable', details: { text: expect.stringContaining('Delete messages') } },
  });
});

test('a quota is checked only after a failed write or fsync', () => {
  const ask = () => {
    throw new Error('asked');
  };
  for (const fault of [failed('SQLITE_IOERR_READ'), failed('SQLITE_FULL'), new TypeError('ours')])
    expect(nameQuota(fault, ask)).toBe(fault);
  const fault = failed('SQLITE_IOERR_FSYNC');
  expect(nameQuota(fault, () => false)).toBe(fault);
});

test('checking a quota leaves no file behind', () => {
  using folder = temporaryFolder();
  expect(isQuotaUsedUp(folder.path)).toBe(false);
  expect(isQuotaUsedUp(`${folder.path}/missing`)).toBe(false);
  expect(new Reserve(folder.path).prepareStart()).toBe(false);
  expect(readdirSync(folder.path)).toEqual([]);
});

test('a start that a quota refuses says so', () => {
  using folder = temporaryFolder();
  const fault = Object.assign(new Error('EDQUOT: disk quota exceeded, write'), { code: 'EDQUOT' });
  expect(explainFullDisk(fault, folder.path)).toContain('quota of the data folder');
  expect(explainFullDisk(failed('SQLITE_IOERR_SHMSIZE'), folder.path)).toBeNull();
});
