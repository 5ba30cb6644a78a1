/** Servers as processes: their first line, commands that they run, one process per folder, and their end. */
import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { readCertificate } from '../../features/certificates/scene.ts';
import { makeCa } from '../../peers/https-receiver.ts';
import { SmtpClient } from '../../peers/smtp-client.ts';
import { program } from '../../program.ts';
import { until } from '../../until.ts';
import { postern, posternJson, readStatus, type Serving, startServing } from './command-process.ts';
import { temporaryFolder } from './folder.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const dataIn = (name: string) => ({ POSTERN_DATA_DIR: join(folder.path, name) });

/** Returns the names of a process's temporary folders for capture, wherever they are. */
function listThrowaways(pid: number): string[] {
  return ['/dev/shm', dirname(folder.path)]
    .filter((place) => existsSync(place))
    .flatMap((place) => readdirSync(place).filter((name) => name.startsWith(`postern-${pid}-`)));
}

describe('serve', () => {
  test('stops in order even where its control socket can’t be removed, as on a read-only file system', async () => {
    const env = dataIn('stuck');
    await using server = await startServing(['serve'], env);
    const socket = join(env.POSTERN_DATA_DIR, 'control.sock');
    rmSync(socket);
    mkdirSync(join(socket, 'full'), { recursive: true });
    server.kill('SIGTERM');
    expect(await server.exited).toBe(0);
  });

  test('prints one line of JSON that says where it listens', async () => {
    await using server = await startServing(['serve'], dataIn('ready'));
    expect(Object.keys(server.ready)).toEqual(['event', 'http', 'smtp', 'pid']);
    expect(server.ready.event).toBe('ready');
    expect(server.ready.http).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(server.ready.smtp).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(process.kill(server.ready.pid, 0)).toBe(true);
    expect((await fetch(`${server.ready.http}/healthz`)).status).toBe(200);
    server.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    // Nobody has a password yet, so the log shows where to set one.
    expect(await server.stderr).toContain(`${server.ready.http}/setup/`);
    // The log went to standard error.
    expect(server.stdout().split('\n').filter(Boolean)).toHaveLength(1);
  });

  test('re-executes itself once with a memory bound, keeping its arguments', async () => {
    const settings = join(folder.path, 'bounded.toml');
    writeFileSync(settings, 'http_listen = "127.0.0.1:0"\nsmtp_listen = "127.0.0.1:0"\n');
    const start = async (env: Record<string, string>) => {
      // A file that is already open, as with `--config <(…)`, and a byte that is not UTF-8, as in an old locale.
      const shell = `exec 9< "$SETTINGS"; OLD_LOCALE=$(printf 'a\\351') exec "$@"`;
      const child = Bun.spawn(
        ['sh', '-c', shell, 'sh', ...program, 'serve', '--config', '/dev/fd/9', '--json'],
        {
          env: { PATH: process.env.PATH!, SETTINGS: settings, ...dataIn('bounded'), ...env },
          stdin: 'ignore',
          stdout: 'pipe',
          stderr: 'ignore',
        },
      );
      const { value } = await child.stdout.getReader().read();
      const { pid } = JSON.parse(new TextDecoder().decode(value)) as { pid: number };
      expect(pid).toBe(child.pid);
      expect(readFileSync(`/proc/${pid}/comm`, 'utf8').trim()).toBe(basename(program[0]!));
      const environment = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
      child.kill('SIGTERM');
      expect(await child.exited).toBe(0);
      return environment.filter((entry) => /^(BUN_JSC_|OLD_LOCALE)/.test(entry)).sort();
    };
    const bytes = String(512 * 1024 * 1024);
    expect(await start({})).toEqual([
      `BUN_JSC_forceRAMSize=${bytes}`,
      'BUN_JSC_useFTLJIT=0',
      'OLD_LOCALE=a\xe9',
    ]);
    const own = { BUN_JSC_forceRAMSize: '123456789' };
    expect(await start(own)).toEqual(['BUN_JSC_forceRAMSize=123456789', 'OLD_LOCALE=a\xe9']);
  });

  test.each(['warn', 'error'])(
    'logs the link that sets up the first sign-in even at level %s',
    async (level) => {
      const env = { ...dataIn(`level-${level}`), POSTERN_LOG_LEVEL: level };
      await using server = await startServing(['serve'], env);
      server.kill('SIGTERM');
      expect(await server.exited).toBe(0);
      const lines = (await server.stderr).trim().split('\n');
      expect(lines.filter((line) => line.includes(`${server.ready.http}/setup/`))).toHaveLength(1);
      expect(lines.filter((line) => line.includes('"level":"info"'))).toHaveLength(1);
    },
  );

  test('runs commands, which take effect at once', async () => {
    const env = dataIn('commands');
    // Created before the server starts.
    const ann = await posternJson<{ api_key: string }>(
      ['account', 'create', '--email', 'ann@example.com'],
      env,
    );
    await using server = await startServing(['serve'], env);
    const inboxes = `${server.ready.http}/api/v1/inboxes`;
    expect(await readStatus(inboxes, ann.api_key)).toBe(200);

    const bob = await posternJson<{ api_key: string }>(
      ['account', 'create', '--email', 'bob@example.com'],
      env,
    );
    expect(await readStatus(inboxes, bob.api_key)).toBe(200);
    await posternJson(['account', 'set', 'bob@example.com', '--status', 'suspended'], env);
    expect(await readStatus(inboxes, bob.api_key)).toBe(403);
    await posternJson(['account', 'set', 'bob@example.com', '--status', 'active'], env);
    expect(await readStatus(inboxes, bob.api_key)).toBe(200);

    const key = await posternJson<{ api_key: string; key_id: string }>(
      ['key', 'create', 'bob@example.com'],
      env,
    );
    expect(await readStatus(inboxes, key.api_key)).toBe(200);
    await posternJson(['key', 'revoke', key.key_id], env);
    expect(await readStatus(inboxes, key.api_key)).toBe(401);
    await posternJson(['account', 'delete', 'bob@example.com'], env);
    expect(await readStatus(inboxes, bob.api_key)).toBe(401);
    expect(await readStatus(inboxes, ann.api_key)).toBe(200);

    const added = await posternJson<{ invite_url: string }>(
      ['member', 'add', 'ann@example.com', '--email', 'mia@example.com'],
      env,
    );
    expect(added.invite_url).toStartWith(`${server.ready.http}/invite/`);
    const invite = await fetch(added.invite_url.replace('/invite/', '/dashboard/api/invite/'));
    expect(await invite.json()).toMatchObject({ data: { email: 'mia@example.com', role: 'member' } });
    const wrong = [
      ['account', 'create', '--email', 'bad', '--json'],
      ['webhook', 'deliveries', 'nobody@postern.test', '--limit', '0', '--json'],
      ['member', 'add', 'ann@example.com', '--email', 'bad', '--json'],
    ];
    for (const args of wrong) expect(await postern(args, env)).toMatchObject({ status: 2, stdout: '' });
    const refused = await postern(['account', 'show', 'eve@example.com', '--json'], env);
    expect(refused).toMatchObject({ status: 1, stdout: '' });
    expect(refused.stderr).toContain('eve@example.com');
  });

  test('has a private control socket, however long the folder’s name is', async () => {
    const env = dataIn(`long/${'x'.repeat(150)}`);
    await using server = await startServing(['serve'], env);
    const socket = join(env.POSTERN_DATA_DIR, 'control.sock');
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    expect(await posternJson<unknown[]>(['account', 'list'], env)).toEqual([]);
    server.kill('SIGTERM');
    await server.exited;
    expect(existsSync(socket)).toBe(false);
  });

  test('has exclusive use of its folder', async () => {
    const env = dataIn('alone');
    await using server = await startServing(['serve'], env);
    const second = await postern(
      ['serve', '--http-listen', '127.0.0.1:0', '--smtp-listen', '127.0.0.1:0', '--json'],
      env,
    );
    expect(second).toMatchObject({ status: 1, stdout: '' });
    expect(second.stderr).toContain('Another Postern is using the data folder');
    expect(await readStatus(`${server.ready.http}/healthz`, '')).toBe(200);
  });

  test('starts again after it was killed', async () => {
    const env = dataIn('killed');
    const first = await startServing(['serve'], env);
    first.kill('SIGKILL');
    await first.exited;
    await using second = await startServing(['serve'], env);
    expect(await posternJson<unknown[]>(['account', 'list'], env)).toEqual([]);
    expect(second.ready.pid).not.toBe(first.ready.pid);
  });

  test('names the setting of an address in use', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as { port: number };
    const address = `127.0.0.1:${port}`;
    const both = ['--http-listen', address, '--smtp-listen', `127.0.0.1:0,${address}`];
    const { status, stderr } = await postern(['serve', ...both], dataIn('taken'));
    expect(status).toBe(1);
    expect(stderr).toContain(`${address} is in use by another program or setting; set POSTERN_HTTP_LISTEN`);
    expect(stderr).toContain(`${address} is in use by another program or setting; set POSTERN_SMTP_LISTEN`);
    taken.close();
  });

  const inboxId = `inbox_${'0'.repeat(32)}`;
  const accountId = `acct_${'0'.repeat(32)}`;
  const issuer = { POSTERN_OIDC_ISSUER: 'http://127.0.0.1:1', POSTERN_OIDC_CLIENT_ID: 'x' };
  test.each([
    ['postmaster inbox', inboxId, { POSTERN_POSTMASTER_INBOX: inboxId }],
    ['account of new people', accountId, { POSTERN_OIDC_ACCOUNT: accountId, ...issuer }],
  ])('warns that the %s does not exist', async (_, id, settings) => {
    await using server = await startServing(['serve'], { ...dataIn('warned'), ...settings });
    server.kill('SIGTERM');
    const warnings = (await server.stderr)
      .split('\n')
      .filter((line) => line.includes('warn'))
      .map((line) => line.slice(line.indexOf('"warn')));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(id);
  });

  test('ends at once on a second signal', async () => {
    const server = await startServing(['serve'], dataIn('twice'));
    using client = await SmtpClient.greet({ port: Number(server.ready.smtp.split(':').at(-1)) });
    await client.say('MAIL FROM:<a@c.test>', 250);
    await client.say('RCPT TO:<postmaster@postern.test>', 250);
    // The stop waits for this client, because a mail in transfer is finished first.
    await client.say('DATA', 354);
    client.write('Subject: x\r\n');
    const startedMs = performance.now();
    // Signals that come close together count as one.
    for (let hasEnded = false; !hasEnded; ) {
      server.kill('SIGINT');
      hasEnded = await Promise.race([server.exited.then(() => true), Bun.sleep(100).then(() => false)]);
    }
    expect(await server.exited).toBe(1);
    expect(performance.now() - startedMs).toBeLessThan(4000);
  });

  test('counts a signal that comes twice, from a terminal and from a wrapper, as one', async () => {
    const server = await startServing(['serve'], dataIn('doubled'));
    server.kill('SIGINT');
    server.kill('SIGINT');
    expect(await server.exited).toBe(0);
  });

  test('leaves nothing behind when it runs in memory', async () => {
    const server = await startServing(['serve'], { POSTERN_DATA_DIR: ':memory:' });
    expect(listThrowaways(server.ready.pid)).toHaveLength(1);
    server.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    expect(listThrowaways(server.ready.pid)).toEqual([]);
  });
});

test('commands without a server wait for one another', async () => {
  const env = dataIn('side-by-side');
  const emails = Array.from({ length: 6 }, (_, index) => `user${index}@example.com`);
  await Promise.all(emails.map((email) => posternJson(['account', 'create', '--email', email], env)));
  const accounts = await posternJson<{ email: string; flags: { operator: boolean } }[]>(
    ['account', 'list'],
    env,
  );
  expect(accounts.map(({ email }) => email).sort()).toEqual(emails);
  expect(accounts.filter(({ flags }) => flags.operator)).toHaveLength(1);
});

describe('capture', () => {
  test('prints a key in its ready line, and removes its folder at the end', async () => {
    const server: Serving = await startServing(['capture']);
    expect(Object.keys(server.ready)).toEqual(['event', 'http', 'smtp', 'pid', 'api_key']);
    expect(await readStatus(`${server.ready.http}/api/v1/inboxes`, server.ready.api_key!)).toBe(200);
    expect(listThrowaways(server.ready.pid)).toHaveLength(1);
    server.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    expect(listThrowaways(server.ready.pid)).toEqual([]);
  });

  test('removes what a killed capture left behind', async () => {
    const killed = await startServing(['capture']);
    killed.kill('SIGKILL');
    await killed.exited;
    expect(listThrowaways(killed.ready.pid)).toHaveLength(1);
    await using next = await startServing(['capture']);
    expect(listThrowaways(killed.ready.pid)).toEqual([]);
    expect(listThrowaways(next.ready.pid)).toHaveLength(1);
  });

  test('uses the key of its setting, and keeps the contents of a given folder', async () => {
    const data = join(folder.path, 'kept');
    mkdirSync(data);
    const env = { POSTERN_CAPTURE_API_KEY: 'pst_live_fixed-for-tests' };
    for (let run = 0; run < 2; run++) {
      await using server = await startServing(['capture', '--data', data], env);
      expect(server.ready.api_key).toBe(env.POSTERN_CAPTURE_API_KEY);
      expect(await readStatus(`${server.ready.http}/api/v1/inboxes`, env.POSTERN_CAPTURE_API_KEY)).toBe(200);
      const accounts = await posternJson<unknown[]>(['account', 'list'], { POSTERN_DATA_DIR: data });
      expect(accounts).toHaveLength(1);
    }
    expect(existsSync(join(data, 'postern.db'))).toBe(true);
  });

  test('refuses --data together with --data-dir', async () => {
    const folders = ['--data', join(folder.path, 'one'), '--data-dir', join(folder.path, 'two')];
    const { status, stderr } = await postern(['capture', ...folders]);
    expect([status, stderr]).toEqual([2, "--data and --data-dir can't be used together\n"]);
  });

  test('does not use the data folder in the environment', async () => {
    const env = dataIn('real');
    await using _ = await startServing(['capture'], env);
    expect(existsSync(env.POSTERN_DATA_DIR)).toBe(false);
  });
});

test('reloading the certificate on SIGHUP ends no connection', async () => {
  const env = {
    ...dataIn('hup'),
    POSTERN_HTTP_TLS: 'on',
    POSTERN_TLS_CERT: join(folder.path, 'hup.crt'),
    POSTERN_TLS_KEY: join(folder.path, 'hup.key'),
  };
  const ca = await makeCa();
  const renew = async () => {
    const { cert, key } = await ca.issue(['localhost']);
    writeFileSync(env.POSTERN_TLS_CERT, cert);
    writeFileSync(env.POSTERN_TLS_KEY, key);
  };
  await renew();
  await using server = await startServing(['serve'], env);
  const port = Number(new URL(server.ready.http).port);
  const { serialNumber } = await readCertificate(port);
  using client = await SmtpClient.greet({ port: Number(server.ready.smtp.split(':').at(-1)) });
  await client.say('MAIL FROM:<a@c.test>', 250);
  await renew();
  server.kill('SIGHUP');
  await until(async () => (await readCertificate(port)).serialNumber !== serialNumber);
  await client.say('RCPT TO:<nobody@postern.test>', 550);
  await client.say('QUIT', 221);
});

test('the addresses of a deleted account can’t be taken by others', async () => {
  const env = dataIn('claims');
  const make = async (email: string) => {
    const created = await posternJson<{ api_key: string }>(['account', 'create', '--email', email], env);
    return created.api_key;
  };
  await using server = await startServing(['serve'], env);
  const take = async (apiKey: string) => {
    const response = await fetch(`${server.ready.http}/api/v1/inboxes`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ routing_key: 'orders' }),
    });
    return [response.status, ((await response.json()) as { error?: { code: string } }).error?.code];
  };
  expect(await take(await make('first@example.com'))).toEqual([201, undefined]);
  await posternJson(['account', 'delete', 'first@example.com'], env);
  expect(await take(await make('second@example.com'))).toEqual([409, 'slug_taken']);
});
