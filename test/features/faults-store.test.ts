/** A store that can't be written: its files are gone from their place, or another program has locked it. */
import { expect, test } from 'bun:test';
import { copyFileSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../doors/operator/folder.ts';
import { Mailbox } from '../doors/smtp/mailbox.ts';
import { type RunningAppliance, startAppliance } from '../start.ts';
import { readSubjects } from '../store-file.ts';
import { lockWrites } from '../store-state.ts';

const mail = (subject: string) => `Subject: ${subject}\r\n\r\nx\r\n`;

/** Sends until one is refused, and returns its code. Those accepted before are in `accepted`. */
async function sendUntilRefused(box: Mailbox, accepted: string[]): Promise<number> {
  for (;;) {
    const subject = `mail ${accepted.length}`;
    const code = (await box.send(mail(subject))).data?.code ?? 0;
    if (code !== 250) return code;
    accepted.push(subject);
  }
}

const readReady = async (appliance: RunningAppliance) => {
  const { status, json } = await appliance.request('GET', '/readyz');
  return { status, reason: json.reason as string | undefined };
};

test('a data folder that is moved away is noticed, and is used again once it is back', async () => {
  using folder = temporaryFolder();
  const dataDir = join(folder.path, 'data');
  mkdirSync(dataDir);
  await using appliance = await startAppliance({ dataDir, hasReserve: true });
  const box = await Mailbox.open(appliance);
  const accepted: string[] = [];
  renameSync(dataDir, `${dataDir}.moved`);
  expect(await sendUntilRefused(box, accepted)).toBe(452);
  const { status, reason } = await readReady(appliance);
  expect(status).toBe(503);
  expect(reason).toContain('postern.db was moved or deleted while it was open');
  const { key } = box.holder;
  const refused = await appliance.request('POST', '/api/v1/inboxes', { key, body: {} });
  expect(refused.json.error.code).toBe('storage_unavailable');
  expect(appliance.logged.join()).toContain("the store can't be written");

  renameSync(`${dataDir}.moved`, dataDir);
  expect((await box.send(mail('after'))).data?.code).toBe(250);
  expect(await readReady(appliance)).toEqual({ status: 200, reason: undefined });
  expect((await box.subjects()).toSorted()).toEqual([...accepted, 'after'].toSorted());
});

test('files that can’t be looked at are a fault of the disk, until they can', async () => {
  using folder = temporaryFolder();
  const dataDir = join(folder.path, 'data');
  mkdirSync(dataDir);
  await using appliance = await startAppliance({ dataDir, hasReserve: true });
  const box = await Mailbox.open(appliance);
  const accepted: string[] = [];
  renameSync(dataDir, `${dataDir}.moved`);
  // Every look at a path below fails (ELOOP), as it does on a file system that has shut down (EIO).
  symlinkSync(dataDir, dataDir);
  expect(await sendUntilRefused(box, accepted)).toBe(452);
  const { status, reason } = await readReady(appliance);
  expect(status).toBe(503);
  expect(reason).toContain('the disk fails');

  unlinkSync(dataDir);
  renameSync(`${dataDir}.moved`, dataDir);
  expect((await box.send(mail('after'))).data?.code).toBe(250);
  expect(await readReady(appliance)).toEqual({ status: 200, reason: undefined });
  expect((await box.subjects()).toSorted()).toEqual([...accepted, 'after'].toSorted());
});

test.each([
  ['deleted', (file: string) => rmSync(file)],
  [
    'replaced',
    (file: string) => {
      rmSync(file);
      writeFileSync(file, '');
    },
  ],
])('mail that was acknowledged before its write-ahead log was %s is in the store', async (_, spoil) => {
  using folder = temporaryFolder();
  const accepted: string[] = [];
  await using appliance = await startAppliance({ dataDir: folder.path });
  const box = await Mailbox.open(appliance);
  expect((await box.send(mail('before'))).data?.code).toBe(250);
  accepted.push('before');
  spoil(join(folder.path, 'postern.db-wal'));
  expect(await sendUntilRefused(box, accepted)).toBe(452);
  // As after a power cut: only the file itself is left.
  const left = join(folder.path, 'left.db');
  copyFileSync(join(folder.path, 'postern.db'), left);
  expect(readSubjects(left)).toEqual(accepted.toSorted());
});

test('a store that another program has locked is reported, and written again afterwards', async () => {
  await using appliance = await startAppliance();
  const box = await Mailbox.open(appliance);
  const unlock = lockWrites(appliance);
  expect((await box.send(mail('meanwhile'))).data?.code).toBe(452);
  const { status, reason } = await readReady(appliance);
  expect(status).toBe(503);
  expect(reason).toContain('another program has locked postern.db');
  unlock();
  expect((await box.send(mail('after'))).data?.code).toBe(250);
  expect((await readReady(appliance)).status).toBe(200);
  expect(await box.subjects()).toEqual(['after']);
}, 20_000);
