/** Backups of a running server, and what restoring them does. */
import { afterAll, describe, expect, test } from 'bun:test';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { sendMail } from '../../peers/smtp-client.ts';
import { program } from '../../program.ts';
import {
  blankBackupKey,
  changeSubjects,
  dropDigest,
  dropTable,
  emptyTable,
  setSchemaVersion,
  spoilBackupNote,
} from '../../store-file.ts';
import { environment, postern, posternJson, type Serving, startServing } from './command-process.ts';
import { temporaryFolder } from './folder.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const at = (name: string) => join(folder.path, name);
const makeEnv = (dataDir: string) => ({ POSTERN_DATA_DIR: dataDir, POSTERN_DISK_FLOOR: '0' });

interface Said {
  file: string;
  messages: number;
  kept: string | null;
}

const data = at('data');
const env = makeEnv(data);
const { api_key } = await posternJson<{ api_key: string }>(
  ['account', 'create', '--email', 'ann@example.com'],
  env,
);
const file = at('backup.db');

function request(server: Serving, path: string, body?: object): Promise<Response> {
  return fetch(`${server.ready.http}/api/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
}

async function send(server: Serving, subject: string): Promise<void> {
  const port = Number(server.ready.smtp.split(':').at(-1));
  const raw = `From: a@example.org\r\nSubject: ${subject}\r\n\r\nhello\r\n`;
  const { data: reply } = await sendMail({ port, from: 'a@example.org', to: ['box@postern.test'], raw });
  expect(reply?.code).toBe(250);
}

async function subjects(server: Serving): Promise<string[]> {
  const { data } = (await (await request(server, '/inboxes/box@postern.test/messages')).json()) as {
    data: { subject: string }[];
  };
  return data.map(({ subject }) => subject).reverse();
}

test('a backup of a running server is whole, in one private file, and can’t be restored beside the server', async () => {
  await using server = await startServing(['serve'], env);
  await request(server, '/inboxes', { routing_key: 'box' });
  await posternJson(['webhook', 'set', 'box@postern.test', '--url', 'https://hooks.example.org/'], env);
  // The test must not call anyone's webhook.
  await posternJson(['webhook', 'disable', 'box@postern.test'], env);
  await send(server, 'one');
  const said = await posternJson<Said>(['backup', file], env);
  expect(said).toMatchObject({ file, messages: 1 });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder.path).sort()).toEqual(['backup.db', 'data']);
  await send(server, 'two');
  const { status, stderr } = await postern(['restore', file], env);
  expect(stderr).toContain('Stop it first');
  expect(status).toBe(1);
  expect(await subjects(server)).toEqual(['one', 'two']);
});

test('a restore brings back the store of the backup, and keeps the replaced one beside it', async () => {
  const { kept, messages } = await posternJson<Said>(['restore', file], env);
  expect(messages).toBe(1);
  {
    await using server = await startServing(['serve'], env);
    expect(await subjects(server)).toEqual(['one']);
    await send(server, 'three');
    expect(await subjects(server)).toEqual(['one', 'three']);
  }
  expect((await posternJson<Said>(['restore', join(kept!, 'postern.db')], env)).messages).toBe(2);
  await using server = await startServing(['serve'], env);
  expect(await subjects(server)).toEqual(['one', 'two']);
});

test('a restore into an empty folder includes the key, which decrypts the secrets in the backup', async () => {
  const other = at('other');
  expect((await posternJson<Said>(['restore', file], makeEnv(other))).kept).toBeNull();
  expect(readFileSync(join(other, 'server.key')).equals(readFileSync(join(data, 'server.key')))).toBe(true);
  const { checks } = await posternJson<{ checks: { name: string; ok: boolean; detail: string }[] }>(
    ['doctor'],
    makeEnv(other),
  );
  expect(checks.find(({ name }) => name === 'server_key')).toMatchObject({
    ok: true,
    detail: expect.stringContaining('decrypts'),
  });
});

test('a backup from a version without digests is still accepted', async () => {
  const older = at('older.db');
  copyFileSync(file, older);
  dropDigest(older);
  expect(await posternJson<Said>(['restore', older], makeEnv(at('from-older')))).toMatchObject({
    messages: 1,
  });
  expect((await postern(['restore', folder.path], env)).stderr).toContain('is not a regular file');
});

test('a second backup to the same name replaces the first, but never a file that is not a backup', async () => {
  await posternJson(['backup', file], env);
  const notes = at('notes.txt');
  writeFileSync(notes, 'mine');
  for (const target of [notes, join(data, 'postern.db'), join(data, 'server.key')]) {
    const before = readFileSync(target);
    const { status, stderr } = await postern(['backup', target], env);
    expect(stderr).toContain('is not a Postern backup');
    expect(status).toBe(1);
    expect(readFileSync(target).equals(before)).toBe(true);
  }
  expect((await postern(['backup', join(folder.path, 'no/such/folder.db')], env)).status).toBe(1);
  expect((await postern(['backup', at('x.db')], makeEnv(at('nothing')))).stderr).toContain(
    'There is no Postern store',
  );
  expect(existsSync(at('x.db'))).toBe(false);
});

describe('a restore changes nothing when the file is', () => {
  const wrong: [string, (copy: string) => void, string][] = [
    ['cut short', (copy) => truncateSync(copy, Math.floor(statSync(copy).size / 2)), 'damaged'],
    ['empty', (copy) => truncateSync(copy, 0), 'is empty, so it is not a backup'],
    ['not a database', (copy) => writeFileSync(copy, 'junk'.repeat(1000)), 'is not a backup, or is damaged'],
    ['from a newer Postern', (copy) => setSchemaVersion(copy, 999), 'newer Postern'],
    ['another database', (copy) => dropTable(copy, 'message'), 'not a Postern store'],
    ['changed in a mail', changeSubjects, 'is damaged'],
    ['without its key', blankBackupKey, 'is damaged'],
    ['without a readable backup_note', spoilBackupNote, 'is damaged'],
    ['without some of its rows', (copy) => emptyTable(copy, 'claim'), 'claim has 0, not 1'],
  ];
  test.each(wrong)('%s', async (what, spoil, message) => {
    const copy = at(`${what}.db`);
    copyFileSync(file, copy);
    spoil(copy);
    const before = readdirSync(data).sort();
    const store = readFileSync(join(data, 'postern.db'));
    const { status, stdout, stderr } = await postern(['restore', copy], env);
    expect(stderr).toContain(message);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(readdirSync(data).sort()).toEqual(before);
    expect(readFileSync(join(data, 'postern.db')).equals(store)).toBe(true);
  });
});

test('a backup into a folder that does not exist says so', async () => {
  const { status, stderr } = await postern(['backup', at('no folder/p.db')], env);
  expect([status, stderr]).toEqual([1, expect.stringContaining(`Folder ${at('no folder')} does not exist.`)]);
});

const canMount = Bun.spawnSync(['unshare', '--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']).exitCode === 0;
test.skipIf(!canMount)('a backup of a data folder that is read-only fails, and says what to do', async () => {
  const script = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"';
  const command = [...program, 'backup', at('of-read-only.db')];
  const child = Bun.spawn(['unshare', '--mount', 'sh', '-c', script, 'sh', data, ...command], {
    env: environment(env),
    stderr: 'pipe',
  });
  expect(await child.stderr.text()).toContain('another disk, and back up the copy: --data-dir');
  expect(await child.exited).toBe(1);
});
