/** Mails that an earlier version stored are repacked while the server runs; clients never see a difference. */
import { afterAll, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ingestJobs, repackMails, repackOp } from '../../../src/features/ingest/jobs.ts';
import { ONE_FRAME_MAIL_BYTES } from '../../../src/platform/mail/stored-mail.ts';
import { Mailbox } from '../../doors/smtp/mailbox.ts';
import { FakeClock } from '../../peers/fake-clock.ts';
import { apiKey, earlierStore, mail } from '../../platform/store/earlier-store.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';
import { findUnsound } from '../../store-file.ts';
import { countOneFrameMails, countRows, splitFrames, spoilContent } from '../../store-state.ts';

const dir = mkdtempSync(join(tmpdir(), 'postern-repack-'));
afterAll(() => rmSync(dir, { recursive: true }));

const newFolder = () => mkdtempSync(join(dir, 'data-'));
/** No job runs unless a test runs it. */
const start = (dataDir: string) =>
  startAppliance({
    dataDir,
    clock: new FakeClock(),
    logLevel: 'info',
    settings: { limits: 'off' },
  });
const repackAll = async (appliance: RunningAppliance) => {
  for (const job of ingestJobs) await appliance.run(job);
};

/** A multiple of 3, so that the mail for two inboxes is among those that a test deletes. */
const MAILS = 42;

/** On a slow machine a piece is a single mail; the job does the rest. */
const STOPS_MAX = 5;

interface Stored {
  key: string;
  ids: string[];
  /** How many of them have the new form at the end. */
  small: number;
}

let old: Promise<{ folder: string; stored: Stored }> | undefined;

/** Puts mails of every kind into a folder, as a version before schema 16 stored them. They are made once for all tests. */
async function fillOldStore(dataDir: string): Promise<Stored> {
  old ??= makeOldStore();
  const { folder, stored } = await old;
  cpSync(folder, dataDir, { recursive: true });
  return stored;
}

async function makeOldStore(): Promise<{ folder: string; stored: Stored }> {
  const folder = newFolder();
  await using appliance = await start(folder);
  const box = await Mailbox.open(appliance);
  const other = await appliance.inbox(box.holder);
  const ids: string[] = [];
  for (let at = 0; at < MAILS; at++) {
    // Words of no language take long to compress, so that a piece has only a part of the mails.
    const words = Array.from({ length: 500 }, (_, word) => Bun.hash(`${at} ${word}`).toString(36));
    const text = `${words.join('\r\n')}\r\n${at}`;
    const raw = `Subject: number ${at}\r\n\r\n${text}\r\n`;
    ids.push(await appliance.deliver(box.address, { raw, subject: `number ${at}`, content: { text } }));
  }
  ids.push(
    await appliance.deliver(box.address, { raw: 'Subject: both\r\n\r\nx\r\n', alsoTo: [other.address] }),
  );
  const small = ids.length;
  // Of noise alone, two frames are as small as one.
  const base64 = randomBytes(30_000).toString('base64').replace(/.{76}/g, '$&\r\n');
  const attached = `Subject: file\r\nContent-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64}\r\n`;
  ids.push((await box.receive(attached)).id);
  const large = Buffer.alloc(ONE_FRAME_MAIL_BYTES + 1, 'a longer line of text\r\n');
  ids.push(
    (await box.receive(Buffer.concat([Buffer.from('Subject: large\r\n\r\n'), large, Buffer.from('\r\n')])))
      .id,
  );
  ids.push((await box.receive(`Subject: pieces\r\n\r\n${'x'.repeat(70)}\r\n`.repeat(9_000))).id);
  splitFrames(appliance);
  return { folder, stored: { key: box.holder.key, ids, small } };
}

/** Everything that a client can read of the messages. */
async function readAll(appliance: RunningAppliance, { key, ids }: Stored): Promise<unknown[]> {
  const read = (path: string) =>
    fetch(`${appliance.url}/api/v1/messages/${path}`, { headers: { authorization: `Bearer ${key}` } });
  const all: unknown[] = [];
  for (const id of ids) {
    const [message, raw, file] = [await read(id), await read(`${id}/raw`), await read(`${id}/attachments/0`)];
    expect([message.status, raw.status, [200, 404].includes(file.status)]).toEqual([200, 200, true]);
    const bytes = Buffer.from(await raw.arrayBuffer());
    const hash = (given: Uint8Array | string) => Bun.hash(given).toString(36);
    const { request_id: _, ...body } = (await message.json()) as { request_id?: string };
    all.push([body, bytes.length, hash(bytes), file.ok && hash(new Uint8Array(await file.arrayBuffer()))]);
  }
  return all;
}

test('a store reads the same before, during and after repacking, however often the job is stopped', async () => {
  const dataDir = newFolder();
  const stored = await fillOldStore(dataDir);
  let before: unknown[] | undefined;
  let pieces = 0;
  for (let looked = 1; looked > 0 && pieces < STOPS_MAX; pieces++) {
    await using appliance = await start(dataDir);
    before ??= await readAll(appliance, stored);
    expect(countOneFrameMails(appliance) > 0).toBe(pieces > 0);
    looked = await appliance.services.store.write(repackOp, null);
    expect(await readAll(appliance, stored)).toEqual(before);
  }
  await using appliance = await start(dataDir);
  await repackAll(appliance);
  expect(await readAll(appliance, stored)).toEqual(before!);
  expect(pieces).toBeGreaterThan(2);
  expect(countOneFrameMails(appliance)).toBe(stored.small);
  expect(findUnsound(join(dataDir, 'postern.db'))).toEqual([]);
}, 60_000);

test('an interrupted job resumes where it was, reports once when all is done, and then writes nothing more', async () => {
  const dataDir = newFolder();
  const stored = await fillOldStore(dataDir);
  await using appliance = await start(dataDir);
  const before = await readAll(appliance, stored);
  const abort = new AbortController();
  const cut = ingestJobs[0]!.run(appliance.services, abort.signal);
  abort.abort();
  await cut;
  expect(countOneFrameMails(appliance)).toBeLessThan(stored.small);
  const countReports = () => appliance.logged.filter((line) => line.includes('are repacked')).length;
  expect(countReports()).toBe(0);
  await repackAll(appliance);
  expect([countOneFrameMails(appliance), countReports()]).toEqual([stored.small, 1]);
  const { version } = appliance.services.store;
  await repackAll(appliance);
  expect([appliance.services.store.version, countReports()]).toEqual([version, 1]);
  expect(await readAll(appliance, stored)).toEqual(before);
}, 30_000);

test('while a backup keeps the log from being reused, each run writes one piece into it', async () => {
  const dataDir = newFolder();
  const { small } = await fillOldStore(dataDir);
  await using appliance = await start(dataDir);
  const counts = [0];
  for (let runs = 0; runs < 3; runs++) {
    await repackMails(appliance.services, new AbortController().signal, 0);
    counts.push(countOneFrameMails(appliance));
  }
  expect(counts).toEqual([...new Set(counts)].sort((one, other) => one - other));
  expect(counts[1]).toBeLessThan(small);
  await repackAll(appliance);
  expect(countOneFrameMails(appliance)).toBe(small);
}, 60_000);

test('messages that are deleted meanwhile stay deleted, and mail that comes meanwhile is stored', async () => {
  const dataDir = newFolder();
  const stored = await fillOldStore(dataDir);
  await using appliance = await start(dataDir);
  const { key, ids } = stored;
  const kept = { ...stored, ids: ids.filter((_, index) => index % 3 !== 0) };
  const gone = ids.filter((_, index) => index % 3 === 0);
  const before = await readAll(appliance, kept);
  const box = await Mailbox.open(appliance);
  const [, ...answers] = await Promise.all([
    repackAll(appliance),
    ...gone.map((id) => appliance.request('DELETE', `/api/v1/messages/${id}`, { key })),
    ...Array.from({ length: 5 }, (_, at) => box.send(`Subject: new ${at}\r\n\r\nx\r\n`)),
  ]);
  await repackAll(appliance);
  expect(answers.slice(0, gone.length).map((reply) => 'status' in reply! && reply.status)).toEqual(
    gone.map(() => 204),
  );
  expect(await box.list()).toHaveLength(5);
  expect(await readAll(appliance, kept)).toEqual(before);
  for (const id of gone)
    expect((await appliance.request('GET', `/api/v1/messages/${id}`, { key })).status).toBe(404);
  // Another inbox also has one of the deleted mails.
  expect(countRows(appliance, 'raw')).toBe(kept.ids.length + 1 + 5);
  expect(findUnsound(join(dataDir, 'postern.db'))).toEqual([]);
}, 30_000);

test('a damaged mail is left unchanged, and the job continues', async () => {
  const dataDir = newFolder();
  const stored = await fillOldStore(dataDir);
  await using appliance = await start(dataDir);
  spoilContent(appliance, stored.ids[0]!);
  await repackAll(appliance);
  expect(countOneFrameMails(appliance)).toBe(stored.small - 1);
}, 30_000);

test.each(Array.from({ length: 15 }, (_, index) => index + 1))(
  'the mail of a store of schema %d is the same after repacking',
  async (version) => {
    const dataDir = newFolder();
    writeFileSync(join(dataDir, 'postern.db'), earlierStore(version));
    await using appliance = await start(dataDir);
    const read = async () => {
      const { json } = await appliance.request('GET', `/api/v1/messages/${mail.id}`, { key: apiKey });
      const raw = await appliance.request('GET', `/api/v1/messages/${mail.id}/raw`, { key: apiKey });
      expect(raw.text).toEndWith(mail.raw);
      return [json.data, raw.text];
    };
    const before = await read();
    await repackAll(appliance);
    // All but the one in pieces.
    expect(countOneFrameMails(appliance)).toBe(countRows(appliance, 'raw') - 1);
    expect(await read()).toEqual(before);
  },
);
