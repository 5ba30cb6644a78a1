/** Starting on a full disk, and recovering from it with the product. Uses a small tmpfs, which only root can mount. */
import { describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWriter } from '../../src/platform/store/database.ts';
import { migrate } from '../../src/platform/store/migrate.ts';
import { Reserve } from '../../src/platform/store/reserve.ts';
import {
  environment,
  postern,
  posternJson,
  type Ready,
  type Serving,
  startServing,
} from '../doors/operator/command-process.ts';
import { canMountDisk, type Disk, mountDisk } from '../peers/small-disk.ts';
import { SmtpClient, sendMail } from '../peers/smtp-client.ts';
import { earlierStore } from '../platform/store/earlier-store.ts';
import { program } from '../program.ts';

const MIB = 1024 ** 2;

if (!canMountDisk)
  console.warn('no tmpfs can be mounted here: the tests of a start on a full disk are left out');

interface Served {
  env: Record<string, string>;
  dataDir: string;
  api_key: string;
  inbox: { id: string; address: string };
  /** Stays empty. */
  other: { id: string; address: string };
}

/** A folder with a store, an account and an inbox with mails, after an orderly stop of its server. */
async function makeServed(disk: Disk, mails: number, mailBytes: number): Promise<Served> {
  const dataDir = join(disk.path, 'data');
  const env = { POSTERN_DATA_DIR: dataDir, POSTERN_DISK_FLOOR: '0', POSTERN_LOG_LEVEL: 'warn' };
  const { api_key } = await posternJson<{ api_key: string }>(
    ['account', 'create', '--email', 'full@example.org', '--plan', 'business'],
    env,
  );
  await using server = await startServing(['serve'], env);
  const inbox = (await ask(server, api_key, 'POST', '/inboxes', {})).json.data;
  const other = (await ask(server, api_key, 'POST', '/inboxes', {})).json.data;
  for (let number = 0; number < mails; number++) {
    expect(await mailAnswer(server, inbox.address, `mail ${number}`, mailBytes)).toBe(250);
  }
  return { env, dataDir, api_key, inbox, other };
}

async function ask(server: Serving, apiKey: string, method: string, path: string, body?: unknown) {
  const answer = await fetch(`${server.ready.http}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, text, json: text.startsWith('{') ? JSON.parse(text) : null };
}

async function mailAnswer(server: Serving, to: string, subject: string, bytes = 200): Promise<number> {
  using client = await SmtpClient.greet({
    port: Number(server.ready.smtp.split(':').at(-1)),
    timeoutMs: 60_000,
  });
  const noise = randomBytes(bytes).toString('base64');
  for (const line of ['MAIL FROM:<a@example.org>', `RCPT TO:<${to}>`, 'DATA']) {
    client.send(line);
    const { code } = await client.reply();
    if (code >= 400) return code;
  }
  client.data(`Subject: ${subject}\r\n\r\n${noise.replace(/.{76}/g, '$&\r\n')}\r\n`);
  return (await client.reply()).code;
}

const within = async <Value>(look: () => Promise<Value>, wanted: Value, ms = 60_000): Promise<Value> => {
  const end = performance.now() + ms;
  for (;;) {
    const got = await look();
    if (got === wanted || performance.now() > end) return got;
    await Bun.sleep(100);
  }
};

const reasonOfReady = async (server: Serving) => {
  const answer = await fetch(`${server.ready.http}/readyz`);
  return `${answer.status} ${await answer.text()}`;
};

/** Run concurrently: the longest one mostly waits until the server looks at its disk. */
describe.skipIf(!canMountDisk)('a start on a full disk', () => {
  test.concurrent('serves reads, answers mail 452, and accepts mail again after deletions without a restart', async () => {
    using disk = mountDisk();
    const { env, dataDir, api_key, inbox, other } = await makeServed(disk, 40, 180_000);
    await new Reserve(dataDir).restore();
    const reserve = join(dataDir, 'reserve');
    expect(existsSync(reserve)).toBe(true);
    disk.fill(0);

    await using server = await startServing(['serve'], env);
    const call = (method: string, path: string, body?: unknown) => ask(server, api_key, method, path, body);
    expect(await reasonOfReady(server)).toMatch(/^503 .*the disk is full: .*delete messages/);
    const page = await call('GET', `/inboxes/${inbox.id}/messages?limit=100`);
    expect([page.status, page.json.data.length]).toEqual([200, 40]);
    const latest = await call('GET', `/inboxes/${inbox.id}/messages/latest`);
    expect(latest.json.data.subject).toBe('mail 39');
    expect((await call('GET', `/messages/${latest.json.data.id}/raw`)).text).toContain('Subject: mail 39');
    expect((await fetch(`${server.ready.http}/`)).status).toBe(200);
    expect(await mailAnswer(server, inbox.address, 'too much')).toBe(452);
    const refused = await call('POST', '/inboxes', {});
    expect([refused.status, refused.json.error.code]).toEqual([503, 'storage_unavailable']);
    expect(refused.json.error.message).toContain('Delete messages');
    const { checks } = await posternJson<{ checks: { name: string; ok: boolean; detail: string }[] }>(
      ['doctor'],
      env,
    );
    expect(checks.find(({ name }) => name === 'disk')).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/^The disk is full: .* Delete messages or inboxes/),
    });
    expect(checks.find(({ name }) => name === 'store')).toMatchObject({ ok: true });

    const ids = page.json.data.map(({ id }: { id: string }) => id);
    expect((await call('DELETE', `/messages/${ids[0]}`)).status).toBe(204);
    const batch = await call('POST', '/messages/batch', { action: 'delete', ids: ids.slice(1, 10) });
    expect(batch.json.data.results.every(({ status }: { status: string }) => status === 'deleted')).toBe(
      true,
    );
    expect((await call('DELETE', `/inboxes/${inbox.id}`)).status).toBe(204);
    expect(await within(() => mailAnswer(server, other.address, 'room again'), 250)).toBe(250);
    expect(await within(async () => existsSync(reserve), true)).toBe(true);
    expect((await fetch(`${server.ready.http}/readyz`)).status).toBe(200);
    expect((await call('POST', '/inboxes', {})).status).toBe(201);
    server.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    expect(await server.stderr).toContain('The disk of');
  }, 150_000);

  test.concurrent('works again after a stop, when other programs have used the space that the first start released', async () => {
    using disk = mountDisk();
    const { env, dataDir, api_key, inbox } = await makeServed(disk, 3, 200);
    await new Reserve(dataDir).restore();
    for (let start = 0; start < 3; start++) {
      disk.fill(0);
      await using server = await startServing(['serve'], env);
      disk.fill(0, 'grown');
      expect((await ask(server, api_key, 'GET', `/inboxes/${inbox.id}/messages`)).json.data).toHaveLength(3);
    }
  }, 150_000);

  test.concurrent('removes what a process left behind that was killed while creating the reserve', async () => {
    using disk = mountDisk();
    const { env, dataDir } = await makeServed(disk, 1, 200);
    writeFileSync(join(dataDir, 'reserve.new'), new Uint8Array(2 * MIB));
    disk.fill(0);
    await (await startServing(['serve'], env))[Symbol.asyncDispose]();
    expect(readdirSync(dataDir)).not.toContain('reserve.new');
  }, 150_000);

  test.concurrent('allows a backup to another disk without a server, and a restore says what to do', async () => {
    using disk = mountDisk();
    const { env, dataDir } = await makeServed(disk, 1, 200);
    await new Reserve(dataDir).restore();
    disk.fill(0);
    const elsewhere = mkdtempSync(join(tmpdir(), 'postern-elsewhere-'));
    try {
      const backup = join(elsewhere, 'backup.db');
      expect(await posternJson(['backup', backup], env)).toMatchObject({ messages: 1 });
      disk.fill(0);
      const { status, stderr } = await postern(['restore', backup], env);
      expect(stderr).toMatch(/The disk of the data folder .* is full, and nothing was changed in the store/);
      expect(status).toBe(1);
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  }, 150_000);

  test.concurrent('without a reserve fails, says what to do and leaves the store unchanged, and succeeds once there is room', async () => {
    using disk = mountDisk();
    const { env, dataDir, api_key, inbox } = await makeServed(disk, 3, 200);
    const before = readFileSync(join(dataDir, 'postern.db'));
    disk.fill(0);
    for (const command of [['serve'], ['account', 'list']]) {
      const { status, stderr } = await postern(command, env);
      expect(status).toBe(1);
      expect(stderr).toMatch(/The disk of the data folder .* is full, .* Free at least 16 MiB there/);
    }
    disk.empty();
    expect(readFileSync(join(dataDir, 'postern.db')).equals(before)).toBe(true);
    await using server = await startServing(['serve'], env);
    expect((await ask(server, api_key, 'GET', `/inboxes/${inbox.id}/messages`)).json.data).toHaveLength(3);
  }, 150_000);
});

describe.skipIf(!canMountDisk)('the first start in a folder', () => {
  test('says that no inode is free, although not even the lock can be made', async () => {
    using disk = mountDisk();
    const dataDir = join(disk.path, 'data');
    mkdirSync(dataDir, { mode: 0o700 });
    for (let { ffree } = statfsSync(disk.path); ffree > 0; ffree -= 1)
      writeFileSync(join(disk.path, `${ffree}`), '');
    const { status, stderr } = await postern(['serve'], { POSTERN_DATA_DIR: dataDir });
    expect(status).toBe(1);
    expect(stderr).toStartWith(
      `The disk of the data folder ${dataDir} can hold no more files (no free inodes)`,
    );
  });
});

describe.skipIf(!canMountDisk)('a disk that fills up beneath an idle server', () => {
  test('is reported by /readyz before anything is refused, even without a floor', async () => {
    using disk = mountDisk();
    const { env, dataDir } = await makeServed(disk, 1, 200);
    await new Reserve(dataDir).restore();
    await using server = await startServing(['serve'], env);
    expect(await reasonOfReady(server)).toBe('200 {"status":"ok"}');
    disk.fill(0);
    const isFull = async () => /^503 .*the disk is full: .*Delete messages/.test(await reasonOfReady(server));
    expect(await within(isFull, true, 10_000)).toBe(true);
    disk.empty();
    expect(await within(() => reasonOfReady(server), '200 {"status":"ok"}', 10_000)).toStartWith('200');
  }, 60_000);

  test('is reported by /readyz when only its inodes are used up, while small mail is accepted', async () => {
    using disk = mountDisk();
    const { env, inbox } = await makeServed(disk, 1, 200);
    await using server = await startServing(['serve'], env);
    const crowd = join(disk.path, 'crowd');
    mkdirSync(crowd);
    for (let { ffree } = statfsSync(disk.path); ffree > 0; ffree -= 1)
      writeFileSync(join(crowd, `${ffree}`), '');
    const isOut = async () => /^503 .*no free inodes/.test(await reasonOfReady(server));
    expect(await within(isOut, true, 10_000)).toBe(true);
    expect(await mailAnswer(server, inbox.address, 'small')).toBe(250);
    expect(await mailAnswer(server, inbox.address, 'large', 3_000_000)).toBe(452);
    rmSync(crowd, { recursive: true });
    expect(await within(() => reasonOfReady(server), '200 {"status":"ok"}', 10_000)).toStartWith('200');
    expect(await mailAnswer(server, inbox.address, 'large', 3_000_000)).toBe(250);
  }, 60_000);
});

describe.skipIf(!canMountDisk)('a start that needs a migration, on a full disk', () => {
  const migrateIn = (disk: Disk, copies: string | undefined) => {
    const folder = join(disk.path, 'data');
    mkdirSync(folder);
    const file = join(folder, 'postern.db');
    writeFileSync(file, earlierStore(1));
    const database = openWriter(file);
    database.pragma('wal_checkpoint(TRUNCATE)');
    const before = readFileSync(file);
    let said = '';
    try {
      disk.fill(96 * 1024);
      migrate(database, { copies: copies && join(folder, copies) });
    } catch (fault) {
      said = (fault as Error).message;
    } finally {
      disk.empty();
    }
    const schema = Number(database.pragma('user_version', { simple: true }));
    database.close();
    return { said, schema, isSame: readFileSync(file).equals(before), left: readdirSync(folder) };
  };

  test('fails, says what to do and leaves the store unchanged when no copy is kept', () => {
    using disk = mountDisk();
    const { said, ...left } = migrateIn(disk, undefined);
    expect(said).toContain('its disk has too little space');
    expect(said).toContain('The store was not changed. Free some space and start again');
    expect(left).toEqual({ schema: 1, isSame: true, left: ['postern.db'] });
  });

  test('fails, says what to do and leaves the store unchanged when a copy is to be kept', () => {
    using disk = mountDisk();
    const { said, schema, isSame } = migrateIn(disk, 'migration-copy');
    expect(said).toMatch(/has no space for .* Free some space/);
    expect({ schema, isSame }).toEqual({ schema: 1, isSame: true });
    expect(readdirSync(join(disk.path, 'data', 'migration-copy'))).toEqual([]);
  });
});

test.skipIf(!canMountDisk || !Bun.which('unshare'))(
  'a capture keeps its mail elsewhere when the memory disk is full',
  async () => {
    const fillMemory = 'mount --make-rprivate / && mount -t tmpfs -o size=64k tmpfs /dev/shm';
    const capture = [
      ...program,
      'capture',
      '--json',
      '--http-listen',
      '127.0.0.1:0',
      '--smtp-listen',
      '127.0.0.1:0',
    ];
    await using child = Bun.spawn(
      ['unshare', '-m', 'sh', '-c', `${fillMemory} && exec "$@"`, 'sh', ...capture],
      {
        env: environment({}),
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const { value } = await child.stdout.getReader().read();
    const { smtp } = JSON.parse(Buffer.from(value!).toString().split('\n')[0]!) as Ready;
    const port = Number(smtp.split(':').at(-1));
    const raw = `Subject: large\r\n\r\n${'x'.repeat(200_000)}\r\n`;
    const { data } = await sendMail({ port, from: 'a@example.org', to: ['b@example.org'], raw });
    expect(data?.code).toBe(250);
    child.kill();
    expect(await child.exited).toBe(0);
  },
  20_000,
);

describe.skipIf(!canMountDisk)('the reserve', () => {
  test('is a sixteenth of a small disk, and is created only if as much stays free', async () => {
    using disk = mountDisk();
    const folder = join(disk.path, 'reserved');
    mkdirSync(folder);
    const reserve = new Reserve(folder);
    disk.fill(5 * MIB);
    await reserve.restore();
    expect([reserve.isHeld(), reserve.isSpent()]).toEqual([false, true]);
    disk.fill(7 * MIB);
    await reserve.restore();
    expect([reserve.isHeld(), reserve.isSpent()]).toEqual([true, false]);
    expect(statfsSync(disk.path).bavail * statfsSync(disk.path).bsize).toBeLessThan(4.1 * MIB);
    // The disk fills up while the reserve is still held.
    disk.fill(0);
    expect(reserve.isSpent()).toBe(false);
    expect(reserve.release()).toBe(true);
    expect([reserve.isSpent(), reserve.release()]).toEqual([true, false]);
    expect(readdirSync(folder)).toEqual([]);
  });
});
