/**
 * Root works in the folder of a service user, who may have put links into it. Nothing that they point to is read, written
 * or handed over. These tests need root, as in CI, and are skipped elsewhere.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postern, posternJson, startServing } from './command-process.ts';

/** nobody, on Debian and most other systems. */
const OWNER = 65534;
const isRoot = process.geteuid?.() === 0;

// The service user must be able to reach its folder.
const dir = mkdtempSync(join(tmpdir(), 'postern-foreign-'));
chmodSync(dir, 0o755);
afterAll(() => rmSync(dir, { recursive: true }));

const secrets = join(dir, 'of-root');
mkdirSync(secrets, { mode: 0o700 });
/** As long as a server's key. */
const SECRET = 'thirty-two bytes of root for it.';
const INBOX = 'box@postern.test';
const backup = join(secrets, 'backup.db');

describe.skipIf(!isRoot)('root, in a folder of another user (needs root; skipped without)', () => {
  let count = 0;

  /** Makes a folder of that user with one account, and a file that only root may read. */
  async function scene() {
    if (!existsSync(backup)) {
      const env = { POSTERN_DATA_DIR: join(secrets, 'source') };
      const { api_key } = await posternJson<{ api_key: string }>(
        ['account', 'create', '--email', 'ann@example.com'],
        env,
      );
      await using server = await startServing(['serve'], env);
      await fetch(`${server.ready.http}/api/v1/inboxes`, {
        method: 'POST',
        headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ routing_key: INBOX.split('@')[0] }),
      });
      await posternJson(['backup', backup], env);
    }
    const data = join(dir, `data-${count++}`);
    const secret = join(secrets, `secret-${count}`);
    mkdirSync(data, { mode: 0o700 });
    chownSync(data, OWNER, OWNER);
    writeFileSync(secret, SECRET, { mode: 0o640 });
    const env = { POSTERN_DATA_DIR: data };
    await posternJson(['restore', backup], env);
    // The backup has another key.
    writeFileSync(join(data, 'server.key'), Buffer.alloc(32, count));
    return { data, secret, env, at: (name: string) => join(data, name) };
  }

  function expectUntouched(secret: string): void {
    expect(readFileSync(secret, 'utf8')).toBe(SECRET);
    const { uid, gid, mode } = statSync(secret);
    expect({ uid, gid, mode: mode & 0o777 }).toEqual({ uid: 0, gid: 0, mode: 0o640 });
  }

  /** Reads every regular file of the user, as root. */
  function contents(folder: string): string[] {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((file) => lstatSync(file).isFile())
      .map((file) => readFileSync(file, 'latin1'));
  }

  test('restores a backup that only root may read, and the result belongs to the folder’s owner', async () => {
    const { data } = await scene();
    expect(readdirSync(data)).toContain('postern.db');
    const owners = readdirSync(data, { recursive: true, encoding: 'utf8' }).map(
      (name) => lstatSync(join(data, name)).uid,
    );
    expect(new Set(owners)).toEqual(new Set([OWNER]));
    expect(statSync(backup).uid).toBe(0);
  });

  test('restores beside a server.key that links to a file of root’s, without copying it', async () => {
    const { data, secret, env, at } = await scene();
    rmSync(at('server.key'));
    symlinkSync(secret, at('server.key'));
    const { status, stderr } = await postern(['restore', backup], env);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expectUntouched(secret);
    expect(lstatSync(at('server.key')).isFile()).toBe(true);
    expect(contents(data).filter((text) => text.includes(SECRET))).toEqual([]);
  });

  test('follows no link, whatever its name', async () => {
    const { secret, env, at } = await scene();
    const files = ['server.key.new', 'postern.db.new', 'postern.db.restoring', 'postern.db-wal', 'lock.db'];
    const folders = ['restoring', 'restore-ready', 'run'];
    for (const name of files) {
      rmSync(at(name), { force: true });
      symlinkSync(secret, at(name));
    }
    for (const name of folders) {
      const target = join(secrets, name);
      mkdirSync(target);
      writeFileSync(join(target, 'postern.db'), 'mine');
      symlinkSync(target, at(name));
    }
    // The lock can't be taken through the link: refused, and nothing changes.
    expect((await postern(['restore', backup], env)).status).toBe(1);
    expectUntouched(secret);
    rmSync(at('lock.db'));
    expect((await postern(['restore', backup], env)).status).toBe(0);
    expectUntouched(secret);
    for (const name of folders) {
      expect(readdirSync(join(secrets, name))).toEqual(['postern.db']);
      expect(readFileSync(join(secrets, name, 'postern.db'), 'utf8')).toBe('mine');
    }
  });

  test('leaves alone a file of root’s that is hard-linked there', async () => {
    const { secret, env, at } = await scene();
    for (const name of ['server.key', 'postern.db-wal', 'postern.db-shm']) {
      rmSync(at(name), { force: true });
      linkSync(secret, at(name));
    }
    expect((await postern(['restore', backup], env)).status).toBe(0);
    expectUntouched(secret);
  });

  test.each(['postern.db', 'postern.db-wal', 'server.key', 'lock.db'])(
    'says what to do when %s was copied there as root',
    async (name) => {
      const { data, env, at } = await scene();
      if (!existsSync(at(name))) writeFileSync(at(name), '');
      chownSync(at(name), 0, 0);
      chmodSync(at(name), 0o600);
      const { status, stderr } = await postern(['account', 'list'], env);
      expect(stderr).toStartWith(`${at(name)} can't be used`);
      expect(stderr).toContain(
        `It belongs to user 0, and Postern runs as user ${OWNER}: run chown -R ${OWNER} ${data}.`,
      );
      expect(status).toBe(1);
    },
  );

  test('refuses to back up a key that the owner can’t read', async () => {
    const { secret, env, at } = await scene();
    const created = join(secrets, `made-${count}.db`);
    rmSync(at('server.key'));
    symlinkSync(secret, at('server.key'));
    const { status, stderr } = await postern(['backup', created], env);
    expect(stderr).toContain("can't be read");
    expect(status).toBe(1);
    expect(existsSync(created)).toBe(false);
    expectUntouched(secret);
  });

  test('imports mail that only root may read and exports it again, opening the folder as its owner', async () => {
    const { data, env, at } = await scene();
    writeFileSync(at('server.key'), readFileSync(join(secrets, 'source/server.key')));
    const mail = join(secrets, 'mail.eml');
    writeFileSync(mail, `Subject: large\r\n\r\n${'a line\r\n'.repeat(50_000)}`, { mode: 0o600 });
    await posternJson(['mail', 'import', mail, '--inbox', INBOX], env);
    await posternJson(['mail', 'export', INBOX, '--out', join(secrets, 'out')], env);
    const [name] = readdirSync(join(secrets, 'out'));
    expect(readFileSync(join(secrets, 'out', name!), 'utf8')).toEndWith('a line\r\n');
    const owners = readdirSync(data, { recursive: true, encoding: 'utf8' }).map(
      (name) => lstatSync(join(data, name)).uid,
    );
    expect(new Set(owners)).toEqual(new Set([OWNER]));
    // A mail of this size is spooled to a file.
    const target = join(secrets, 'spool');
    mkdirSync(target);
    rmSync(at('spool'), { recursive: true });
    symlinkSync(target, at('spool'));
    expect((await postern(['mail', 'import', mail, '--inbox', INBOX], env)).status).toBe(1);
    expect(readdirSync(target)).toEqual([]);
  });

  test.each(['server.key', 'postern.db'])('does not wait for a pipe named %s', async (name) => {
    const { env, at } = await scene();
    rmSync(at(name));
    Bun.spawnSync(['mkfifo', at(name)]);
    chownSync(at(name), OWNER, OWNER);
    const commands = [
      ['backup', join(secrets, `pipe-${count}.db`)],
      ['mail', 'export', INBOX, '--out', join(secrets, 'pipe')],
    ];
    for (const command of commands) {
      const { status, stderr } = await postern(command, env);
      expect(stderr).toContain('not a regular file');
      expect(status).toBe(1);
    }
  });

  test('writes a backup into the data folder as its owner, because the owner could swap files there', async () => {
    const { env, at } = await scene();
    await posternJson(['backup', at('copy.db')], env);
    expect(statSync(at('copy.db'))).toMatchObject({ uid: OWNER });
  });

  test('writes a backup where only root may write', async () => {
    const { env } = await scene();
    const created = join(secrets, `fine-${count}.db`);
    await posternJson(['backup', created], env);
    expect(statSync(created)).toMatchObject({ uid: 0 });
    expect(statSync(created).mode & 0o777).toBe(0o600);
  });
});
