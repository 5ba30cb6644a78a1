/** Commands without a server: output formats, refusals, exit statuses. */
import { afterAll, describe, expect, test } from 'bun:test';
import { chownSync, existsSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { postern, posternJson } from './command-process.ts';
import { temporaryFolder } from './folder.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const env = { POSTERN_DATA_DIR: join(folder.path, 'data') };

interface Created {
  account_id: string;
  email: string;
  plan: string;
  api_key: string;
  key_prefix: string;
}

interface Account {
  account_id: string;
  email: string;
  plan: string;
  kind: string;
  status: string;
  flags: Record<string, boolean>;
  created_at: string;
}

describe('accounts', () => {
  test('the first account is the operator’s, and later ones are not', async () => {
    const first = await posternJson<Created>(['account', 'create', '--email', ' Ann@Example.com '], env);
    expect(Object.keys(first)).toEqual(['account_id', 'email', 'plan', 'api_key', 'key_prefix']);
    expect(first).toMatchObject({ email: 'ann@example.com', plan: 'business' });
    expect(first.account_id).toMatch(/^acct_[0-9a-f]{32}$/);
    expect(first.api_key).toMatch(/^pst_live_[0-9A-Za-z]{43}$/);
    expect(first.key_prefix).toBe(first.api_key.slice(0, 16));

    const second = await posternJson<Created>(
      ['account', 'create', '--email', 'bob@example.com', '--plan', 'free', '--password-stdin'],
      env,
      'correct horse\n',
    );
    expect(second.plan).toBe('free');
    const accounts = await posternJson<Account[]>(['account', 'list'], env);
    expect(accounts.map(({ email, flags }) => [email, flags.operator])).toEqual([
      ['ann@example.com', true],
      ['bob@example.com', false],
    ]);
    expect(Object.keys(accounts[0]!)).toEqual([
      'account_id',
      'email',
      'plan',
      'kind',
      'status',
      'flags',
      'created_at',
    ]);
    expect(accounts[0]!.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  });

  test('are changed one property at a time', async () => {
    const set = (...flags: string[]) =>
      posternJson<Account>(['account', 'set', 'bob@example.com', ...flags], env);
    expect(await set('--plan', 'pro')).toMatchObject({ plan: 'pro', status: 'active' });
    expect(await set('--status', 'suspended', '--outbound', 'off')).toMatchObject({
      plan: 'pro',
      status: 'suspended',
      flags: { custom_domains: true, outbound: false, operator: false },
    });
  });

  test('of every kind can be created, whatever their flags', async () => {
    const { account_id } = await posternJson<Created>(
      ['account', 'create', '--email', 'kind@example.com'],
      env,
    );
    for (const kind of ['agent', 'demo', 'standard']) {
      expect(await posternJson<Account>(['account', 'set', account_id, '--kind', kind], env)).toMatchObject({
        kind,
        flags: { outbound: true },
      });
    }
  });

  test('are named by id or by email, and an unknown one is refused', async () => {
    const { account_id } = await posternJson<Account>(['account', 'show', 'ann@example.com'], env);
    expect(await posternJson<Account>(['account', 'show', account_id], env)).toMatchObject({ account_id });
    for (const name of ['acct_00000000000000000000000000000000', 'nobody', 'eve@example.com']) {
      expect(await postern(['account', 'show', name], env)).toMatchObject({ status: 1, stdout: '' });
    }
  });

  test('of the same owner are distinguished by id', async () => {
    await posternJson(['account', 'create', '--email', 'two@example.com'], env);
    const again = await postern(['account', 'create', '--email', 'Two@example.com', '--json'], env);
    const other: Created = JSON.parse(again.stdout);
    expect(again.status).toBe(0);
    expect(again.stderr).toMatch(/^two@example\.com now owns 2 accounts, .*: acct_\w+, acct_\w+\. .*\n$/);
    expect(again.stderr).toContain(`postern account delete ${other.account_id}`);
    const { status, stderr } = await postern(['account', 'show', 'two@example.com'], env);
    expect(status).toBe(1);
    expect(stderr).toContain(other.account_id);
  });

  test('disappear at once when they are deleted', async () => {
    const created = await posternJson<Created>(['account', 'create', '--email', 'gone@example.com'], env);
    await posternJson(['account', 'delete', created.account_id], env);
    expect((await postern(['account', 'show', created.account_id], env)).status).toBe(1);
    expect((await postern(['account', 'show', 'gone@example.com'], env)).status).toBe(1);
  });

  test.each([
    ['an empty email', ''],
    ['the email ann', 'ann'],
    ['the email @example.com', '@example.com'],
    ['the email ann@', 'ann@'],
    ['the email a@b@c', 'a@b@c'],
    ['an email that is too long', `${'x'.repeat(320)}@example.com`],
  ])('are refused for %s', async (_, email) => {
    const { status, stdout, stderr } = await postern(
      ['account', 'create', `--email=${email}`, '--json'],
      env,
    );
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('email');
  });

  test('are refused with every mistake named, and without creating a store', async () => {
    using data = temporaryFolder();
    const fresh = { POSTERN_DATA_DIR: join(data.path, 'none') };
    const create = (...flags: string[]) => postern(['account', 'create', ...flags], fresh, 'short\n');
    const flags = await create('--email', 'bad', '--name', 'n'.repeat(500), '--plan', 'gold', '--nope');
    expect(flags.stderr).toMatch(/^--email .*\n--name .*\n--plan .*\n--nope .*\n$/);
    const password = await create('--email', 'ann@example.com', '--password-stdin');
    expect(password.stderr).toMatch(/^password must have at least .*\n$/);
    const commonArgs = ['account', 'create', '--email', 'ann@example.com', '--password-stdin'];
    const common = await postern(commonArgs, fresh, 'Password1\n');
    expect(common.stderr).toMatch(/^password is one of the most common passwords.*\n$/);
    for (const { status, stdout } of [flags, password, common]) {
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    }
    expect(existsSync(fresh.POSTERN_DATA_DIR)).toBe(false);
  });
});

describe('members and keys', () => {
  test('a member is added with a one-time link, listed, given a password, and removed with their keys', async () => {
    const args = ['ann@example.com', '--email', 'Mia@example.com'];
    const added = await posternJson<Record<string, string>>(['member', 'add', ...args], env);
    expect(added).toMatchObject({ email: 'mia@example.com', role: 'member' });
    expect(added.invite_url).toMatch(/^http:\/\/127\.0\.0\.1:8025\/invite\/[\w-]{43}$/);
    expect((await postern(['member', 'add', ...args], env)).stderr).toContain('already');

    const key = await posternJson<{ key_id: string; role: string }>(
      ['key', 'create', 'ann@example.com', '--as', 'mia@example.com', '--name', 'ci'],
      env,
    );
    expect(key.role).toBe('member');
    const password = ['member', 'password', 'ann@example.com', 'mia@example.com', '--password-stdin'];
    expect((await postern(password, env, 'short\n')).status).toBe(2);
    expect(await posternJson<object>(password, env, 'long enough\n')).toMatchObject({
      email: 'mia@example.com',
    });

    const members = await posternJson<{ email: string; role: string }[]>(
      ['member', 'list', 'ann@example.com'],
      env,
    );
    expect(members.map(({ email, role }) => [email, role])).toEqual([
      ['ann@example.com', 'owner'],
      ['mia@example.com', 'member'],
    ]);
    await posternJson(['member', 'remove', 'ann@example.com', 'mia@example.com'], env);
    expect((await postern(['key', 'revoke', key.key_id], env)).status).toBe(1);
    expect((await postern(['member', 'remove', 'ann@example.com', 'ann@example.com'], env)).status).toBe(1);
  });

  test('a list of keys never shows a key', async () => {
    const created = await posternJson<Record<string, string>>(
      ['key', 'create', 'ann@example.com', '--name', 'x'],
      env,
    );
    expect(Object.keys(created)).toEqual(['key_id', 'api_key', 'key_prefix', 'role']);
    const listed = await postern(['key', 'list', 'ann@example.com', '--json'], env);
    expect(listed.stdout).toContain(created.key_id!);
    expect(listed.stdout).not.toContain(created.api_key!);
    const revoked = await posternJson<Record<string, string>>(['key', 'revoke', created.key_id!], env);
    expect(revoked.revoked_at).toBeString();
  });
});

describe('wrong usage', () => {
  const wrong: [string, string[], string][] = [
    ['an unknown command', ['acount'], 'did you mean account?'],
    ['an unknown second word', ['account', 'creat'], 'did you mean account create?'],
    ['half a command', ['account'], 'account create'],
    ['an unknown flag', ['account', 'create', '--emial', 'a@b.c'], 'did you mean --email?'],
    ['a missing flag', ['account', 'create'], '--email is missing: '],
    ['a missing choice', ['senders', 'mode', 'x'], 'who may write (everyone, allowed_only)'],
    ['a missing argument', ['account', 'show'], 'A is missing'],
    ['one argument too many', ['account', 'list', 'x'], 'unexpected argument "x"'],
    ['a value outside the choices', ['account', 'create', '--email', 'a@b.c', '--plan', 'gold'], 'free, pro'],
    ['a flag without its value', ['account', 'create', '--email', '--json'], '--email needs a value'],
    ['an unknown setting', ['account', 'list', '--limts', 'off'], 'did you mean --limits?'],
    ['a malformed setting', ['account', 'list', '--wait-slots', 'x'], '--wait-slots must be'],
    ['an empty password', ['account', 'create', '--email', 'a@b.c', '--password-stdin'], 'standard input'],
    ['a change without a flag', ['account', 'set', 'ann@example.com'], 'at least one of --plan, --status'],
    ['an empty item of a list', ['serve', '--smtp-listen', ','], '--smtp-listen must not have an empty item'],
    ['a postmaster that is not an inbox', ['serve', '--postmaster-inbox', 'x'], "must be an inbox's id"],
    ['capture on a public address', ['capture', '--smtp-listen', '0.0.0.0:0'], 'loopback'],
  ];
  test.each(wrong)('%s exits with 2 and says what to do', async (_, args, message) => {
    const { status, stdout, stderr } = await postern(args, env);
    expect(stderr).toContain(message);
    expect(stdout).toBe('');
    expect(status).toBe(2);
  });

  test('in settings is reported all at once, from every source', async () => {
    const file = join(folder.path, 'faulty.toml');
    writeFileSync(file, 'wait_slot = 3\nlog = "xml"\n');
    const { status, stderr } = await postern(['serve', '--config', file, '--disk-floor', 'x'], {
      ...env,
      POSTERN_HTTP_LISTN: '127.0.0.1:1',
      POSTERN_LIMIT_REQUESTS_PER_MINUTE: 'many',
    });
    expect(status).toBe(2);
    for (const message of [
      'wait_slots?',
      'log must be',
      '--disk-floor must be',
      'POSTERN_HTTP_LISTEN?',
      '_PER_MINUTE must',
    ]) {
      expect(stderr).toContain(message);
    }
  });

  test('in arguments, settings and a file is reported together', async () => {
    const args = ['serve', '--nope', '--bad=1', '--http-listen', 'bad', '--limits', 'maybe'];
    const { status, stdout, stderr } = await postern([...args, '--config', '/nope/x.toml'], {
      ...env,
      POSTERN_X: '1',
    });
    expect(status).toBe(2);
    expect(stdout).toBe('');
    const messages = [
      '--nope is not a flag',
      '--bad is not a flag',
      '--http-listen must be',
      '--limits must be',
    ];
    for (const text of [...messages, 'POSTERN_X is not a setting', '/nope/x.toml'])
      expect(stderr).toContain(text);
    expect(stderr.trim().split('\n')).toHaveLength(6);
  });
});

describe('the data folder', () => {
  test('and everything in it is private to its user', async () => {
    expect(statSync(env.POSTERN_DATA_DIR).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(env.POSTERN_DATA_DIR)) {
      expect([name, statSync(join(env.POSTERN_DATA_DIR, name)).mode & 0o077]).toEqual([name, 0]);
    }
    expect(statSync(join(env.POSTERN_DATA_DIR, 'server.key')).size).toBe(32);
  });

  test('whose key has a wrong length is refused', async () => {
    const data = temporaryFolder();
    writeFileSync(join(data.path, 'server.key'), 'short');
    const { status, stderr } = await postern(['account', 'create', '--email', 'a@b.c'], {
      POSTERN_DATA_DIR: data.path,
    });
    expect(status).toBe(1);
    expect(stderr).toContain('has 5 bytes instead of 32');
    data[Symbol.dispose]();
  });

  test('that is a link to a disk that is not mounted is refused as such', async () => {
    using around = temporaryFolder();
    const data = join(around.path, 'data');
    symlinkSync('/nowhere/postern', data);
    const refused = await postern(['account', 'create', '--email', 'a@b.c'], { POSTERN_DATA_DIR: data });
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain('It is a link to /nowhere/postern, where no folder is: mount its disk');
  });

  test('without a store is refused unchanged, except by the command that creates the first account', async () => {
    using data = temporaryFolder();
    for (const name of ['none', '.']) {
      const mistyped = { POSTERN_DATA_DIR: join(data.path, name) };
      const { status, stdout, stderr } = await postern(['account', 'list', '--json'], mistyped);
      expect(stderr).toContain(`There is no Postern store in ${join(data.path, name)}`);
      expect(stderr).toContain('--data-dir');
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
      expect(readdirSync(data.path)).toEqual([]);
    }
    const create = ['account', 'create', '--json', '--email'];
    const first = await postern([...create, 'ann@example.com'], { POSTERN_DATA_DIR: data.path });
    expect(first.stderr).toBe(`Created a new store in ${data.path}.\n`);
    expect(JSON.parse(first.stdout)).toMatchObject({ email: 'ann@example.com' });
    const second = await postern([...create, 'bob@example.com'], { POSTERN_DATA_DIR: data.path });
    expect(second.stderr).toBe('');
  });

  test('in memory can’t be reached by commands', async () => {
    const { status, stderr } = await postern(['account', 'list'], { POSTERN_DATA_DIR: ':memory:' });
    expect(status).toBe(1);
    expect(stderr).toContain('POSTERN_DATA_DIR');
    expect(existsSync(':memory:')).toBe(false);
  });

  test.skipIf(process.geteuid?.() !== 0)(
    'of a service user still belongs to that user after root has run a command',
    async () => {
      const data = temporaryFolder();
      chownSync(data.path, 65_534, 65_534);
      await posternJson(['account', 'create', '--email', 'ann@example.com'], { POSTERN_DATA_DIR: data.path });
      const owners = readdirSync(data.path).map((name) => statSync(join(data.path, name)).uid);
      expect(new Set(owners)).toEqual(new Set([65_534]));
      data[Symbol.dispose]();
    },
  );

  test('that can’t be created is refused', async () => {
    const { status, stderr } = await postern(['account', 'list'], { POSTERN_DATA_DIR: '/proc/nothing/here' });
    expect(status).toBe(1);
    expect(stderr).toContain('POSTERN_DATA_DIR');
  });
});

test('version prints the versions of Postern, Bun and SQLite', async () => {
  const versions = await posternJson<Record<string, string>>(['version'], env);
  expect(Object.keys(versions)).toEqual(['version', 'bun', 'sqlite']);
  expect(versions.bun).toBe(Bun.version);
  expect(versions.sqlite).toMatch(/^3\.\d+\.\d+$/);
});

test('openapi prints the document', async () => {
  const document = await posternJson<{ openapi: string; paths: object }>(['openapi'], env);
  expect(document.openapi).toStartWith('3.1');
  expect(Object.keys(document.paths)).toContain('/api/v1/inboxes');
});
