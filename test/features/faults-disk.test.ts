/** A full disk, and one below its floor. Uses a small tmpfs, which only root can mount. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ingestJobs } from '../../src/features/ingest/jobs.ts';
import { searchJobs } from '../../src/features/messages/index-search.ts';
import { Mailbox } from '../doors/smtp/mailbox.ts';
import { FakeClock } from '../peers/fake-clock.ts';
import { SmtpClient } from '../peers/smtp-client.ts';
import { type Reply, type RunningAppliance, startAppliance } from '../start.ts';
import { countOneFrameMails, countRows, splitFrames } from '../store-state.ts';
import { Sender } from './outbound/sender.ts';

const MIB = 1024 * 1024;
const disk = mkdtempSync(join(tmpdir(), 'postern-disk-'));

function mount(): boolean {
  const command = ['mount', '-t', 'tmpfs', '-o', 'size=40m', 'tmpfs', disk];
  try {
    return Bun.spawnSync(command, { stdout: 'ignore', stderr: 'ignore' }).exitCode === 0;
  } catch {
    return false;
  }
}

const mounted = mount();
if (!mounted) console.warn('no tmpfs can be mounted here: the tests with a full disk are left out');
afterAll(() => {
  if (mounted) Bun.spawnSync(['umount', '-l', disk]);
  rmSync(disk, { recursive: true, force: true });
});

const filler = join(disk, 'filler');
afterEach(() => rmSync(filler, { force: true }));

/** Fills the disk except for this many bytes. */
function fill(bytesLeft: number): void {
  rmSync(filler, { force: true });
  const { bavail, bsize } = statfsSync(disk);
  try {
    writeFileSync(filler, new Uint8Array(Math.max(0, bavail * bsize - bytesLeft)));
  } catch (fault) {
    // The server took some of it meanwhile, so there is even less left.
    if ((fault as NodeJS.ErrnoException).code !== 'ENOSPC') throw fault;
  }
}

const mail = (subject: string, bytes = 500) =>
  `Subject: ${subject}\r\n\r\n${Buffer.from(crypto.getRandomValues(new Uint8Array(Math.min(65_536, bytes))))
    .toString('base64')
    .repeat(Math.ceil(bytes / 65_536))}\r\n`;

/** Sends, and returns the first negative reply, or the final 250. */
async function answerTo(port: number, to: string, raw: string) {
  using client = await SmtpClient.greet({ port });
  for (const line of ['MAIL FROM:<a@example.org>', `RCPT TO:<${to}>`, 'DATA']) {
    client.send(line);
    const reply = await client.reply();
    if (reply.code >= 400) return reply;
  }
  client.data(raw);
  return await client.reply();
}

/** The first error. Small writes still find room in the log for a while. */
async function readRefusal(ask: () => Promise<Reply>): Promise<string> {
  for (let count = 0; count < 300; count++) {
    const { status, json } = await ask();
    if (status >= 400) return `${status} ${json?.error.code}`;
  }
  return 'none';
}

describe.skipIf(!mounted)('a full disk', () => {
  let appliance: RunningAppliance;
  let box: Mailbox;

  beforeAll(async () => {
    const dataDir = join(disk, 'data');
    mkdirSync(dataDir);
    appliance = await startAppliance({ dataDir, settings: { disk_floor: '0', limits: 'off' } });
    box = await Mailbox.open(appliance);
  });
  afterAll(() => appliance[Symbol.asyncDispose]());

  test('refuses mail with 452 and writes with 503, serves reads, and has lost nothing once there is room', async () => {
    const port = appliance.smtpPort;
    const accepted: string[] = [];
    const refused: number[] = [];
    const sendNext = async (subject: string, bytes: number) => {
      const raw = mail(subject, bytes);
      const { code } = await answerTo(port, box.address, raw);
      if (code === 250) accepted.push(raw);
      else refused.push(code);
      return code;
    };
    expect(await sendNext('before', 500)).toBe(250);

    fill(2 * MIB);
    for (let count = 0; count < 60 && refused.length < 5; count++) await sendNext(`filling ${count}`, 60_000);
    expect(refused).toEqual([452, 452, 452, 452, 452]);
    fill(0);
    // The write-ahead log has some room left at first.
    for (let count = 0; count < 500 && refused.length < 6; count++) await sendNext(`full ${count}`, 5000);
    expect(refused.at(5)).toBe(452);

    // Reads work. Writes are refused with their error code.
    expect((await box.subjects()).length).toBe(Math.min(100, accepted.length));
    const first = (await box.list()).at(-1)!;
    expect((await box.raw(first.id)).toString()).toBe(accepted[0]!);
    const { key } = box.holder;
    const path = `/api/v1/messages/${first.id}`;
    expect(await readRefusal(() => appliance.request('POST', '/api/v1/inboxes', { key, body: {} }))).toBe(
      '503 storage_unavailable',
    );
    // Alternates, because setting the same mark again writes nothing, and the first write may still find room.
    let read = false;
    const mark = () => {
      read = !read;
      return appliance.request('PATCH', path, { key, body: { read } });
    };
    expect(await readRefusal(mark)).toBe('503 storage_unavailable');

    rmSync(filler);
    expect(await sendNext('after', 500)).toBe(250);
    expect((await appliance.request('POST', '/api/v1/inboxes', { key, body: {} })).status).toBe(201);
    // The newest hundred, all complete.
    const listed = await box.list();
    expect(listed.length).toBe(Math.min(100, accepted.length));
    for (const { id } of listed) expect((await box.raw(id)).toString()).toBe(accepted.pop()!);
  }, 30_000);

  test('answers 452 to a large message and leaves nothing of it, wherever the space runs out', async () => {
    // Random, so that it takes as much space compressed. With the most room, the spool holds it and the store does not.
    const raw = `Subject: large\r\n\r\n${randomText(6 * MIB)}\r\n`;
    for (const left of [9 * MIB, 4 * MIB, MIB, 300_000, 0]) {
      fill(left);
      const before = (await box.list()).length;
      const { code } = await answerTo(appliance.smtpPort, box.address, raw);
      expect({ left, code, log: appliance.logged.at(-1) }).toMatchObject({ left, code: 452 });
      expect(readdirSync(join(appliance.dataDir, 'spool'))).toEqual([]);
      rmSync(filler);
      expect((await box.list()).length).toBe(before);
      // The same session's next mail, with room on the disk again.
      expect((await box.send(mail('and on'))).data?.code).toBe(250);
    }
  }, 30_000);
});

describe.skipIf(!mounted)('sending on a full disk', () => {
  test('a POST without room returns an error and leaves nothing behind, and sending resumes once there is room', async () => {
    const dataDir = join(disk, 'sends');
    mkdirSync(dataDir);
    await using sender = await Sender.start({
      dataDir,
      settings: { plan_business_outbound_recipients_per_hour: '1000', disk_floor: '0' },
    });
    const rows = async () => ({
      emails: countRows(sender.appliance, 'outbound_email'),
      bytes: countRows(sender.appliance, 'outbound_mime'),
      recipients: countRows(sender.appliance, 'outbound_recipient'),
      keys: countRows(sender.appliance, 'idempotency'),
      counted: (await sender.get('/account')).json.data.usage.outbound_recipients,
    });
    const sendNext = (key: number) =>
      sender.send(
        { to: ['a@x.example', 'b@x.example'], body_text: randomText(100_000) },
        { 'idempotency-key': `k${key}` },
      );
    fill(3 * MIB);
    let accepted = 0;
    let refused = 0;
    for (let count = 0; count < 100 && refused < 5; count++) {
      const reply = await sendNext(count);
      if (reply.status === 201) accepted++;
      else {
        expect(`${reply.status} ${reply.json.error.code}`).toBe('503 storage_unavailable');
        refused++;
      }
    }
    expect(refused).toBe(5);
    rmSync(filler);
    const whole = {
      emails: accepted,
      bytes: accepted,
      recipients: 2 * accepted,
      keys: accepted,
      counted: 2 * accepted,
    };
    expect(await rows()).toEqual(whole);
    expect((await sendNext(1000)).status).toBe(201);
    expect(await rows()).toMatchObject({ emails: accepted + 1, counted: 2 * accepted + 2 });
  }, 30_000);
});

describe.skipIf(!mounted)('jobs that repack and index', () => {
  test('leave the space reserved for deletions alone on a full disk, and continue once there is room', async () => {
    const dataDir = join(disk, 'jobs');
    mkdirSync(dataDir);
    const open = () => startAppliance({ dataDir, clock: new FakeClock(), hasReserve: true });
    {
      await using appliance = await open();
      const box = await Mailbox.open(appliance);
      for (let count = 0; count < 40; count++)
        await appliance.deliver(box.address, {
          raw: mail(`old ${count}`, 3000),
          content: { text: randomText(3000) },
        });
      splitFrames(appliance);
    }
    // With its write-ahead log gone, each write needs space.
    await using appliance = await open();
    const reserve = appliance.services.store.reserve!;
    await reserve.restore();
    fill(0);
    const runAll = async () => {
      for (const job of [...ingestJobs, ...searchJobs]) await appliance.run(job);
    };
    await runAll();
    expect(reserve.isHeld()).toBe(true);
    expect(countOneFrameMails(appliance)).toBe(0);
    // As when a deletion needed its space: there is some, but it is not theirs.
    reserve.release();
    await runAll();
    expect(countOneFrameMails(appliance)).toBe(0);
    rmSync(filler);
    await runAll();
    expect(countOneFrameMails(appliance)).toBe(40);
  }, 30_000);
});

const randomText = (bytes: number) => randomBytes(bytes).toString('base64');

describe.skipIf(!mounted)('a disk under its floor', () => {
  test('answers 452 4.3.1 at MAIL until there is room again', async () => {
    const dataDir = join(disk, 'floor');
    mkdirSync(dataDir);
    await using appliance = await startAppliance({
      dataDir,
      settings: { disk_floor: `${8 * MIB}` },
    });
    const box = await Mailbox.open(appliance);
    const codeAtMail = async () => {
      using client = await SmtpClient.greet({ port: appliance.smtpPort });
      client.send('MAIL FROM:<a@example.org>');
      const { code, lines } = await client.reply();
      return `${code} ${lines[0]?.slice(0, 5)}`;
    };
    /** The server checks the free space about once a second. */
    const until = async (wanted: string) => {
      const end = performance.now() + 5000;
      for (;;) {
        const got = await codeAtMail();
        if (got === wanted || performance.now() > end) return got;
        await Bun.sleep(50);
      }
    };
    expect(await until('250 2.1.0')).toBe('250 2.1.0');
    fill(6 * MIB);
    expect(await until('452 4.3.1')).toBe('452 4.3.1');
    // HTTP is not affected: this is a floor for mail.
    expect(await box.list()).toEqual([]);
    expect((await fetch(`${appliance.url}/readyz`)).status).toBe(503);
    rmSync(filler);
    expect(await until('250 2.1.0')).toBe('250 2.1.0');
    expect((await box.send(mail('room'))).data?.code).toBe(250);
  }, 30_000);
});
